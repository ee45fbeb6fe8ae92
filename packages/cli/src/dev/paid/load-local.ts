import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { VENDORED_LOCAL_FOLDER } from '../../init/vendor/vendor-folder.ts'
import { CommandError } from '../../command-error.ts'

/** The parts of `@farebox/local` that `farebox dev --paid` uses. */
export type LocalPackage = Awaited<ReturnType<typeof importLocal>>

/**
 * Loads `@farebox/local`. The package includes a chain and a database of 100 MB, so only people who need it install it.
 *
 * @param folder the project's folder, for the command that installs the package
 */
export async function loadLocal(folder: string): Promise<LocalPackage> {
  try {
    return await importLocal()
  } catch (error) {
    if (!isMissing(error)) throw error
    throw new CommandError(
      'farebox dev --paid needs @farebox/local, which is not installed here',
      await installCommand(folder),
      { cause: error },
    )
  }
}

/** Returns the install command. A project created from a clone uses tarballs. */
async function installCommand(folder: string): Promise<string> {
  const isVendored = await access(join(folder, VENDORED_LOCAL_FOLDER)).then(
    () => true,
    () => false,
  )
  return `npm install --save-dev ${isVendored ? `./${VENDORED_LOCAL_FOLDER}/*.tgz` : '@farebox/local'}`
}

async function importLocal() {
  const [economy, joining, secret, file, keys, topUp, block, lines] = await Promise.all([
    import('@farebox/local/economy'),
    import('@farebox/local/internal/join-economy'),
    import('@farebox/local/internal/facilitator-secret'),
    import('@farebox/local/local-file'),
    import('@farebox/local/chain/test-keys'),
    import('@farebox/local/internal/chain/top-up'),
    import('@farebox/local/internal/chain/settled-in'),
    import('@farebox/local/internal/money-lines'),
  ])
  return { ...economy, ...joining, ...secret, ...file, ...keys, ...topUp, ...block, lines }
}

function isMissing(error: unknown): boolean {
  const isNotFound = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
  return isNotFound && error.message.includes("'@farebox/local'")
}
