import { stat } from 'node:fs/promises'

/** Whether a file or folder exists where we may look. */
export async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  )
}
