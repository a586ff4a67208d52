slow openssl-digest openssl dgst -sha3-256 text
slow openssl-cipher sh -c 'openssl enc -aes-256-ctr -K 00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff -iv 000102030405060708090a0b0c0d0e0f -in text | md5sum'
slow openssl-bad sh -c 'openssl rsa -in text 2>&1 | sed "s/^[0-9A-F]*://"'
with openssl
slow openssl-keys sh -c 'openssl genpkey -algorithm ed25519 2>/dev/null | openssl pkey -text -noout | grep -c priv; openssl ecparam -name prime256v1 -text -noout | head -n 2; openssl prime 1000003; openssl prime -hex FFFFFFFB; openssl rand -hex 8 | wc -c'
slow openssl-ciphers sh -c 'for c in aes-128-cbc aes-256-ctr camellia-192-cbc chacha20; do openssl enc -$c -K 00112233445566778899aabbccddeeff0011223344556677 -iv 00000000000000000000000000000001 -in text 2>/dev/null | md5sum; done; for h in md5 sha1 sha512 blake2b512 sm3 shake256; do openssl dgst -$h <text; done'
slow openssl-signs sh -c 'openssl genrsa 1024 2>/dev/null >k; openssl dgst -sha256 -sign k -out s text; openssl rsa -in k -pubout 2>/dev/null >p; openssl dgst -sha256 -verify p -signature s text; openssl dgst -sha256 -verify p -signature s tree/a/b/f1 2>/dev/null; echo $?; openssl kdf -keylen 16 -kdfopt digest:SHA256 -kdfopt key:a -kdfopt salt:b HKDF'
slow openssl-certificates sh -c 'openssl req -x509 -newkey rsa:1024 -nodes -keyout k -out c -days 3650 -subj /CN=x 2>/dev/null; openssl x509 -in c -noout -subject; openssl verify -CAfile c c; openssl asn1parse -in c | awk "{ print \$NF }" | tail -n 3 | head -n 1; openssl pkcs12 -export -in c -inkey k -passout pass:a | openssl pkcs12 -passin pass:a -nokeys 2>/dev/null | grep -c BEGIN'
with gpg
slow gnupg sh -c 'export GNUPGHOME=$PWD/g; mkdir -m 700 g; gpg --batch -q --passphrase x --pinentry-mode loopback -c -o e text 2>/dev/null; gpg --batch -q --passphrase x --pinentry-mode loopback -d e 2>/dev/null | cmp - text && echo same; gpg --batch --print-md sha256 text; gpg --batch -q -d text 2>/dev/null; echo $?; gpgconf --kill all'
with nettle-hash
slow nettle sh -c 'for a in sha256 sha3-512 gosthash94 ripemd160; do nettle-hash -a $a <text | cut -c1-60; done; nettle-pbkdf2 -i 500 -l 16 salt <<X
pass
X'
with ssh-keygen
slow ssh-keygen sh -c 'ssh-keygen -q -t ed25519 -N "" -f k -C c; ssh-keygen -y -f k | cut -c1-11; echo x | ssh-keygen -q -Y sign -f k -n a 2>/dev/null | head -n 1; ssh-keygen -l -f text; echo $?'
with perl
slow hashed-passwords sh -c 'perl -e "print crypt(qq(a), q(\$6\$salt\$)), qq(\n), crypt(qq(a), q(\$1\$salt\$)), qq(\n)"'
