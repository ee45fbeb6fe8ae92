/** An object of JSON that is being changed. */
export interface OpenObject {
  [key: string]: unknown
}

export function isObject(value: unknown): value is OpenObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Puts a value at a path of names, or removes what is there where it is undefined; nothing where no object is above it. */
export function putAt(root: OpenObject, path: string, value: unknown): void {
  const names = path.split('/')
  const last = names.pop() ?? ''
  const holder = names.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), root)
  if (!isObject(holder)) return
  if (value === undefined) delete holder[last]
  // What is put in may be changed later.
  else holder[last] = structuredClone(value)
}
