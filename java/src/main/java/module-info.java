/** AES-GCM for Java programs as a security provider, over the C library of Kasoku. */
module kasoku.jca {
    exports kasoku.jca;

    provides java.security.Provider with
            kasoku.jca.KasokuProvider;
}
