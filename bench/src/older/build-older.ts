import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CURRENT, type Build } from '../stage/build.ts'

/** An older commit, built in its own folder. */
export interface OlderBuild extends Build {
  /** Removes the folder and git's entry for it. */
  remove(): Promise<void>
}

const MOST_OUTPUT_BYTES = 64 * 1_048_576
/** Only the parts of the servers and the verification; `tsc -b` adds the packages that they refer to. */
const PACKAGES = ['packages/farebox', 'packages/facilitator', 'packages/payments']

/**
 * Checks a commit out in `folder` as a git worktree, installs its packages without their scripts, and builds the
 * agent's runtime and the facilitator. Rejects if git does not know the commit, and if the build fails; removes the
 * worktree then.
 */
export async function buildOlder(
  folder: string,
  commit: string,
  tell: (doing: string) => void,
): Promise<OlderBuild> {
  // `--end-of-options`: a commit that begins with a dash is not an option of git.
  const hash = await inFolder(CURRENT.root, 'git', [
    'rev-parse',
    '--verify',
    '--end-of-options',
    `${commit}^{commit}`,
  ])
  const name = hash.slice(0, 8)
  const root = join(folder, `older-${name}`)
  const remove = async (): Promise<void> => {
    await inFolder(CURRENT.root, 'git', ['worktree', 'remove', '--force', root])
  }
  tell(`${name}: checked out`)
  await inFolder(CURRENT.root, 'git', ['worktree', 'add', '--detach', root, hash])
  try {
    tell(`${name}: npm ci (about a minute)`)
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
    await inFolder(root, 'npm', ['ci', '--ignore-scripts', '--prefer-offline', ...quiet])
    tell(`${name}: build`)
    await node(root, 'node_modules/typescript/bin/tsc', '-b', '--noCheck', ...PACKAGES)
    await node(root, 'packages/farebox/scripts/bundle.mjs')
  } catch (error) {
    await remove()
    throw error
  }
  return { name, root, remove }
}

async function node(root: string, ...words: readonly string[]): Promise<void> {
  await inFolder(root, process.execPath, words)
}

async function inFolder(cwd: string, command: string, words: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(command, [...words], { cwd, maxBuffer: MOST_OUTPUT_BYTES })
  return stdout.trim()
}
