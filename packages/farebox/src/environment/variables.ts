/** Variables as the process has them. */
export type Variables = { readonly [name: string]: string | undefined }
