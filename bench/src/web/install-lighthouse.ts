import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The version that the goals are measured with. */
export const LIGHTHOUSE_VERSION = '12.8.2'

const FOLDER = fileURLToPath(new URL('../../../node_modules/.cache/farebox-lighthouse', import.meta.url))

/**
 * The path of Lighthouse's program, installed where it is not yet: in a folder of its own outside of git, for it brings two
 * hundred packages that nothing else here needs. None of their scripts is run.
 *
 * Rejects where npm cannot install it.
 */
export async function installLighthouse(tell: (doing: string) => void): Promise<string> {
  const home = join(FOLDER, 'node_modules', 'lighthouse')
  if (!(await isInstalled(home))) {
    tell(`npm install --prefix ${FOLDER} lighthouse@${LIGHTHOUSE_VERSION} --ignore-scripts`)
    await mkdir(FOLDER, { recursive: true })
    await runNpm()
  }
  return join(home, 'cli', 'index.js')
}

async function isInstalled(home: string): Promise<boolean> {
  const manifest = join(home, 'package.json')
  if (!existsSync(manifest)) return false
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { readonly version: string }
  return version === LIGHTHOUSE_VERSION
}

async function runNpm(): Promise<void> {
  const words = ['install', '--prefix', FOLDER, `lighthouse@${LIGHTHOUSE_VERSION}`, '--ignore-scripts']
  await new Promise<void>((resolve, reject) => {
    const child = spawn('npm', [...words, '--no-audit', '--no-fund', '--loglevel=error'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    child.on('error', reject)
    child.on('close', code => {
      if (code === 0) resolve()
      else reject(new Error(`npm ${words.join(' ')} ended with ${code}`))
    })
  })
}
