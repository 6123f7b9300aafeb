*pattern # size of the cell in x and y, radius, number of vertices
0.004 0.002 0.0002 6

*Q # x y z twist
0 0 0 0
0.001 0.0005 0.0002 0
0.002 0 0 0
0.003 0.0005 -0.0002 0
0.001 0.0015 -0.0001 0
0.001 0.0005 -0.0003 0

*E # from, to, and the cell of the latter
0 1 0 0
1 2 0 0
2 3 0 0
3 0 1 0
4 5 0 1
5 4 0 0

*RL # lengths at rest
0.0011
0.0011
0.0011
0.0011
0.001
0.001
