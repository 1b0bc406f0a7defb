/* bitpack FILE: packs 64-bit integers by frame of reference, 128 at a time, and unpacks them; values a second. Own code.
   A block is its least value (8 bytes), the width of what the others exceed it by (1 byte), and these, width bits each. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define BLOCK 128
static double now(void){struct timespec t;clock_gettime(CLOCK_MONOTONIC,&t);return t.tv_sec+t.tv_nsec*1e-9;}

static size_t pack(const int64_t*v,unsigned char*out){
  int64_t least=v[0];for(int i=1;i<BLOCK;i++)if(v[i]<least)least=v[i];
  uint64_t all=0;for(int i=0;i<BLOCK;i++)all|=(uint64_t)v[i]-(uint64_t)least;
  int width=all?64-__builtin_clzll(all):0;
  memcpy(out,&least,8);out[8]=width;unsigned char*p=out+9;
  uint64_t pending=0;int count=0;
  if(width)for(int i=0;i<BLOCK;i++){
    uint64_t x=(uint64_t)v[i]-(uint64_t)least;
    pending|=x<<count;count+=width;
    if(count>=64){memcpy(p,&pending,8);p+=8;count-=64;pending=count?x>>(width-count):0;}
  }
  if(count){memcpy(p,&pending,8);p+=(count+7)/8;}
  return p-out;
}
static size_t unpack(const unsigned char*in,int64_t*v){
  int64_t least;memcpy(&least,in,8);int width=in[8];const unsigned char*p=in+9;
  if(!width){for(int i=0;i<BLOCK;i++)v[i]=least;return 9;}
  uint64_t mask=width==64?~0ull:(1ull<<width)-1;
  size_t bit=0;
  for(int i=0;i<BLOCK;i++,bit+=width){
    uint64_t x;memcpy(&x,p+(bit>>3),8);x>>=bit&7;
    if(width>57&&(bit&7)+width>64)x|=(uint64_t)p[(bit>>3)+8]<<(64-(bit&7));
    v[i]=(int64_t)((uint64_t)least+(x&mask));
  }
  return 9+(BLOCK*width+7)/8;
}
int main(int n,char**a){
  if(n<2)return 64;
  FILE*f=fopen(a[1],"rb");if(!f)return 66;
  fseek(f,0,SEEK_END);size_t count=ftell(f)/8/BLOCK*BLOCK;rewind(f);
  int64_t*v=malloc(count*8),*w=malloc(count*8);unsigned char*out=malloc(count*9+16);
  if(fread(v,8,count,f)!=count)return 66;
  double packing=1e9,unpacking=1e9;size_t size=0;
  for(int r=0;r<7;r++){
    double t=now();size=0;for(size_t i=0;i<count;i+=BLOCK)size+=pack(v+i,out+size);double d=now()-t;if(d<packing)packing=d;
    t=now();size_t at=0;for(size_t i=0;i<count;i+=BLOCK)at+=unpack(out+at,w+i);d=now()-t;if(d<unpacking)unpacking=d;
    if(memcmp(v,w,count*8))return 1;
  }
  printf("c bitpack %zu: encode %.1f decode %.1f M values/s %.3f B/value\n",count,count/packing/1e6,count/unpacking/1e6,(double)size/count);
}
