/** The project folder with our packages as tarballs: it is committed with the project and copied into its image. */
export const VENDOR_FOLDER = 'vendor'
/**
 * The folder with the additional packages of `farebox dev --paid`. They include a chain and a database, so only people who
 * need them install them.
 */
export const VENDORED_LOCAL_FOLDER = `${VENDOR_FOLDER}/local`
