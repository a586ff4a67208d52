slow java-compute java -cp . Hello compute
slow java-threads java -cp . Hello threads
slow java-throws java -cp . Hello throws
slow java-interpreted java -Xint -cp . Hello brief
slow java-serial-collector java -XX:+UseSerialGC -Xmx64m -cp . Hello garbage
slow java-exits java -cp . Hello exits
slow java-version java -version
