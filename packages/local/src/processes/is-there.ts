import { stat } from 'node:fs/promises'

/** Returns whether a file or folder exists and this process may see it. */
export async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  )
}
