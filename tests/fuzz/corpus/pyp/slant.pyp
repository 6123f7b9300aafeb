*E
0 0 1 -1
*Q
0 0 0 0
*pattern
2 1 0.1 1
*other
words
*RK
0 0
*RT
0
*RefD1
0 0 1
*RefT
0
