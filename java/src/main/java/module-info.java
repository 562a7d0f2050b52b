/** A security provider with AES-GCM that calls the C library of Kasoku. */
module kasoku.jca {
    exports kasoku.jca;

    provides java.security.Provider with
            kasoku.jca.KasokuProvider;
}
