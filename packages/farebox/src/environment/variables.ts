/** The variables of a process. */
export type Variables = { readonly [name: string]: string | undefined }
