/** Where a project has our packages as tarballs: committed with it and copied into its image. */
export const VENDOR_FOLDER = 'vendor'
/** What `farebox dev --paid` needs besides; it brings a chain and a database, and is installed by those who want them. */
export const VENDORED_LOCAL_FOLDER = `${VENDOR_FOLDER}/local`
