/* merkle FILE : the tree hashes of engine frames in plain C over OpenSSL's EVP with a reused context, one mdb cursor:
   SHA-256 of shape and of values, leaf of 0x00 + header + both, one node of 0x01 + two hashes an event on average. */
#include <lmdb.h>
#include <openssl/evp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <time.h>
static double now(void){struct timespec t;clock_gettime(CLOCK_MONOTONIC,&t);return t.tv_sec+t.tv_nsec*1e-9;}
static EVP_MD_CTX*context;static const EVP_MD*sha;
static void hash(const void*p,size_t n,unsigned char*out){EVP_DigestInit_ex2(context,sha,0);EVP_DigestUpdate(context,p,n);EVP_DigestFinal_ex(context,out,0);}
int main(int c,char**v){if(c<2)return 2;MDB_env*e;MDB_txn*t;MDB_dbi d;MDB_cursor*cu;MDB_val k,x;context=EVP_MD_CTX_new();sha=EVP_MD_fetch(0,"SHA256",0);
 if(mdb_env_create(&e)||mdb_env_set_maxdbs(e,16)||mdb_env_set_mapsize(e,4ull<<30)||mdb_env_open(e,v[1],MDB_NOSUBDIR|MDB_RDONLY,0644)||mdb_txn_begin(e,0,MDB_RDONLY,&t)||mdb_dbi_open(t,"events",0,&d)||mdb_cursor_open(t,d,&cu))return 1;
 static unsigned char edge[64][32];int depth=0;uint64_t n=0;unsigned char buffer[4096];double t0=now();
 while(!mdb_cursor_get(cu,&k,&x,MDB_NEXT)){const unsigned char*f=x.mv_data;uint32_t length,shape;uint16_t header;memcpy(&length,f+4,4);memcpy(&header,f+12,2);memcpy(&shape,f+16,4);
  if(header>2048)return 1;buffer[0]=0;memcpy(buffer+1,f+20,header);hash(f+20+header,shape,buffer+1+header);hash(f+20+header+shape,length-24-header-shape,buffer+33+header);
  unsigned char node[32];hash(buffer,65+header,node);
  for(uint64_t m=n;m&1;m>>=1){buffer[0]=1;memcpy(buffer+1,edge[--depth],32);memcpy(buffer+33,node,32);hash(buffer,65,node);}
  memcpy(edge[depth++],node,32);n++;}
 unsigned char root[32];memcpy(root,edge[depth-1],32);for(int i=depth-2;i>=0;i--){buffer[0]=1;memcpy(buffer+1,edge[i],32);memcpy(buffer+33,root,32);hash(buffer,65,root);}
 double s=now()-t0;uint64_t prefix=0;for(int i=0;i<8;i++)prefix=prefix<<8|root[i];
 printf("c hash %llu: %.1f ns/ev # %llu\n",(unsigned long long)n,s*1e9/n,(unsigned long long)prefix);return 0;}
