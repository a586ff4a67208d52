with ffmpeg
slow ffmpeg-encodes ffmpeg -v error -f lavfi -i testsrc=size=160x120:rate=10:duration=1 -c:v mpeg4 -threads 1 -bitexact -flags +bitexact -f avi -
slow ffmpeg-threads sh -c 'ffmpeg -v error -f lavfi -i mandelbrot=size=128x96:rate=5:end_pts=5 -frames:v 5 -threads 4 -pix_fmt rgb24 -f framemd5 -'
slow ffmpeg-filters ffmpeg -v error -f lavfi -i smptebars=size=160x120:rate=5:duration=1 -vf 'scale=80:60:flags=bitexact,hue=h=30,unsharp,format=gray' -f framecrc -bitexact -
slow ffmpeg-audio ffmpeg -v error -f lavfi -i 'sine=frequency=440:duration=0.5' -af 'aresample=22050,atempo=1.3,volume=0.5' -c:a pcm_s16le -f md5 -
slow ffmpeg-x264 ffmpeg -v error -f lavfi -i testsrc2=size=128x96:rate=10:duration=1 -c:v libx264 -preset veryfast -threads 1 -x264-params 'sliced-threads=0' -bitexact -f md5 -
slow ffmpeg-bad sh -c 'ffmpeg -v error -i text -f null - 2>&1 | sed "s/0x[0-9a-f]*//; s/@ *//"; ffprobe -v error text 2>/dev/null; echo $?'
with sox
slow sox sh -c 'sox -D -R -n -r 8000 -b 16 out.wav synth 0.5 sine 300:3000 tremolo 5 reverb; md5sum <out.wav; sox out.wav -n stat 2>&1 | head -n 8'
with flac sox
slow flac sh -c 'sox -D -R -n -r 8000 -b 16 x.wav synth 1 sine 300:3000; flac -s -8 --no-padding x.wav -o x.flac; flac -s -d -c x.flac | cmp - x.wav && echo same; metaflac --show-md5sum x.flac; head -c 3000 x.flac | flac -s -t - ; echo $?'
with lame sox
slow lame sh -c 'sox -D -R -n -r 16000 -b 16 x.wav synth 0.5 sine 300:3000; lame --quiet -b 64 x.wav - | md5sum; lame --quiet -V 4 x.wav x.mp3; lame --quiet --decode x.mp3 - | md5sum'
with oggenc sox
slow vorbis sh -c 'sox -D -R -n -r 16000 -b 16 x.wav synth 0.5 sine 300:3000; oggenc -Q -s 7 -q 3 -o x.ogg x.wav; md5sum <x.ogg; oggdec -Q -o - x.ogg | md5sum'
with cwebp pgmramp
slow webp sh -c 'pgmramp -ellipse 96 64 | pnmtopng >x.png; cwebp -quiet -q 60 x.png -o x.webp; dwebp -quiet x.webp -ppm -o - | md5sum; cwebp -quiet -lossless -mt x.png -o - | md5sum'
with cjpeg pgmramp
slow jpeg sh -c 'pgmramp -lr 128 96 | pgmtoppm red-blue >x.ppm; cjpeg -quality 70 -optimize x.ppm >x.jpg; md5sum <x.jpg; djpeg -dct float x.jpg | md5sum; jpegtran -rotate 90 x.jpg | md5sum; head -c 500 x.jpg | djpeg | md5sum'
with optipng pgmramp
slow optipng sh -c 'pgmramp -tb 64 64 | pnmtopng >x.png; optipng -quiet -o2 -strip all x.png; md5sum <x.png'
with pnmscale
slow netpbm sh -c 'pgmramp -lr 64 48 | pnmscale 1.5 | pnmgamma 2.2 | pnmflip -r90 | ppmtopgm | pgmtopbm -threshold | md5sum'
with /usr/bin/convert identify
slow image sh -c '/usr/bin/convert -size 64x64 gradient:red-blue -resize 32x32 ppm:- | md5sum'
slow imagemagick-effects sh -c '/usr/bin/convert -size 80x60 gradient:red-blue -swirl 90 -blur 0x2 -charcoal 1 -rotate 30 ppm:- | md5sum; /usr/bin/convert nothing-here.png x.ppm; echo $?'
slow imagemagick-openmp sh -c 'OMP_NUM_THREADS=3 /usr/bin/convert -size 256x256 gradient:green-blue -resize 120x120 -sharpen 0x1 ppm:- | md5sum; identify -format "%w %h %k\n" -size 10x10 gradient:'
with povray
slow povray sh -c 'printf "camera { location <0,2,-5> look_at 0 } light_source { <5,5,-5> rgb 1 } sphere { 0, 1 pigment { color rgb <1,0,0> } finish { phong 1 } } plane { y, -1 pigment { checker rgb 0 rgb 1 } }" >x.pov; povray +Ix.pov +W64 +H48 -D +FP +Oout.ppm +WT1 -GA 2>/dev/null; echo $?; sed "/^#/d" out.ppm | tail -c 9216 | md5sum'
with gs
slow ghostscript sh -c 'printf "%%!PS\n/fib { dup 2 lt { } { dup 1 sub fib exch 2 sub fib add } ifelse } def 15 fib == newpath 50 50 moveto 200 300 lineto 4 setlinewidth stroke /Courier findfont 20 scalefont setfont 72 500 moveto (text) show showpage\n" >x.ps; gs -q -dNOPAUSE -dBATCH -dSAFER -sDEVICE=pgmraw -r36 -sOutputFile=out.pgm x.ps; md5sum <out.pgm; echo "1 0 div" | gs -q -dNODISPLAY -dBATCH - ; echo $?'
with pdftotext gs
slow poppler sh -c 'printf "%%!PS\n/Courier findfont 20 scalefont setfont 72 500 moveto (some text) show showpage\n" >x.ps; gs -q -dNOPAUSE -dBATCH -sDEVICE=pdfwrite -sOutputFile=x.pdf x.ps; pdftotext x.pdf -; pdfinfo x.pdf | grep Pages; pdftoppm -r 30 x.pdf out; md5sum <out-1.ppm; pdftotext text -; echo $?'
with qpdf gs
slow qpdf sh -c 'printf "%%!PS\n72 500 moveto 90 600 lineto stroke showpage\n" >x.ps; gs -q -dNOPAUSE -dBATCH -sDEVICE=pdfwrite -sOutputFile=x.pdf x.ps; qpdf --static-id --linearize x.pdf y.pdf; qpdf --check y.pdf | sed 1d; qpdf --show-npages y.pdf; qpdf --check text; echo $?'
with potrace pgmramp
slow potrace sh -c 'pgmramp -ellipse 60 60 | pgmtopbm -threshold >x.pbm; potrace -b svg -o - x.pbm | md5sum'
with gnuplot
slow gnuplot gnuplot -e 'set term dumb 60 20; plot sin(x), x**2/50; print 2**10; fit_limit = 1e-6; print exists("nothing")'
with dot
slow graphviz-dot dot -Tplain graph.dot
slow graphviz-neato neato -Tplain -Gseed=1 graph.dot
slow graphviz-svg sh -c 'dot -Tsvg graph.dot | grep -c path; echo "digraph {" | dot; echo $?'
with figlet
slow figlet figlet -w 60 some text
