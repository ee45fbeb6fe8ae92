import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { START_LIMIT_MS } from '@farebox/local/src/starting/wait-for-start'
import { pathWithoutFarebox } from './path-without-farebox.ts'

/** A project in its own folder, outside the repository, in which `farebox` is installed. */
export interface Project {
  readonly folder: string
  /** Writes a file as editors do: complete, under another name, then in place of the old one. */
  save(name: string, text: string): Promise<void>
  remove(name: string): Promise<void>
  /** Runs `farebox <words>` in it, from the build. */
  run(words: readonly string[], variables?: NodeJS.ProcessEnv): RunningCli
  /** Ends running commands, and removes the folder. */
  clear(): Promise<void>
}

/** A running command. */
export interface RunningCli {
  readonly pid: number
  /** Everything on both screens so far. */
  output(): string
  /**
   * Resolves to the output since the last call, up to and including the match, once it is there. Rejects with the
   * output if it does not appear while the process lives, within the limit for any start.
   */
  says(pattern: RegExp): Promise<string>
  signal(name: NodeJS.Signals): void
  readonly ended: Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>
}

const BIN = fileURLToPath(new URL('../../bin/farebox-cli.js', import.meta.url))
const NODE_MODULES = fileURLToPath(new URL('../../../../node_modules', import.meta.url))

/** Creates one, with these files. */
export async function createProject(files: { readonly [name: string]: string }): Promise<Project> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'farebox-dev-')))
  await symlink(NODE_MODULES, join(folder, 'node_modules'))
  const running: RunningCli[] = []
  const save = async (name: string, text: string): Promise<void> => {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(`${path}.tmp`, text)
    await rename(`${path}.tmp`, path)
  }
  for (const [name, text] of Object.entries({ 'package.json': '{ "type": "module" }', ...files }))
    await save(name, text)
  return {
    folder,
    save,
    remove: name => rm(join(folder, name), { recursive: true }),
    run(words, variables = {}) {
      const started = runCli(folder, words, variables)
      running.push(started)
      return started
    },
    async clear() {
      // A second signal ends it at once, with all its processes, which need the folder until they have ended.
      const insisting = setInterval(() => running.forEach(one => one.signal('SIGTERM')), 50)
      await Promise.all(running.map(one => one.ended))
      clearInterval(insisting)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function runCli(folder: string, words: readonly string[], variables: NodeJS.ProcessEnv): RunningCli {
  const child = spawn(process.execPath, [BIN, ...words], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: pathWithoutFarebox(), HOME: folder, ...variables },
  })
  let [out, err, all, read] = ['', '', '', 0]
  let hasEnded = false
  let look = (): void => undefined
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
    all += text
    look()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text
    all += text
    look()
  })
  const ended = new Promise<Awaited<RunningCli['ended']>>(resolve => {
    child.on('close', code => {
      hasEnded = true
      resolve({ code, out, err })
      look()
    })
  })
  return {
    pid: child.pid ?? 0,
    output: () => all,
    says: pattern =>
      new Promise((resolve, reject) => {
        const refuse = (): void => reject(new Error(`does not say ${String(pattern)}:\n${all}`))
        const giveUp = setTimeout(refuse, START_LIMIT_MS)
        look = () => {
          const match = pattern.exec(all.slice(read))
          if (match === null && !hasEnded) return
          clearTimeout(giveUp)
          if (match === null) return refuse()
          const end = read + match.index + match[0].length
          resolve(all.slice(read, end))
          read = end
        }
        look()
      }),
    signal: name => void child.kill(name),
    ended,
  }
}
