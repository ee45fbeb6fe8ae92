import { spawn, type ChildProcessByStdio } from 'node:child_process'
import type { Readable } from 'node:stream'

/** A person's input and the output of a terminal, recorded as it happens. */
export interface Terminal {
  /** Runs one command of a shell to its end. */
  type(line: string): Promise<{ readonly code: number; readonly text: string }>
  /** Starts a long-running command, in its own window. */
  open(line: string): Window
  /** Records an action without a command. */
  note(text: string): void
  /** The whole text so far. */
  transcript(): string
  /** Ends running commands. */
  close(): Promise<void>
}

/** A long-running command. */
export interface Window {
  /** Waits until its further output matches, and records it. */
  sees(pattern: RegExp): Promise<string>
  /** Sends it a signal and waits for its end. */
  ends(signal: NodeJS.Signals): Promise<number | null>
}

/**
 * The typed command, and the one that is run instead: our own command is started without npx, so that it gets our
 * signals.
 */
const OWN = /^npx farebox /

/** Opens a terminal in a folder. */
export function openTerminal(options: {
  readonly folder: () => string
  readonly environment: { readonly [name: string]: string }
}): Terminal {
  const pages: string[] = []
  const running = new Set<ChildProcessByStdio<null, Readable, Readable>>()

  function start(line: string): ChildProcessByStdio<null, Readable, Readable> {
    const child = spawn('bash', ['-c', line.replace(OWN, 'exec node_modules/.bin/farebox ')], {
      cwd: options.folder(),
      env: options.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    running.add(child)
    child.once('close', () => running.delete(child))
    return child
  }

  return {
    async type(line) {
      const child = start(line)
      const text = listen(child)
      const code = await ended(child)
      pages.push(`$ ${line}\n${text()}${code === 0 ? '' : `(exit ${code})\n`}`)
      return { code: code ?? -1, text: text() }
    },
    open(line) {
      const child = start(line)
      const text = listen(child)
      let seen = 0
      pages.push(`$ ${line}          (goes on)\n`)
      const take = (): string => {
        const fresh = text().slice(seen)
        seen += fresh.length
        pages.push(fresh)
        return fresh
      }
      return {
        async sees(pattern) {
          await until(
            child,
            () => pattern.test(text().slice(seen)),
            () => `${line}: ${pattern} did not come:\n${text()}`,
          )
          return take()
        },
        async ends(signal) {
          child.kill(signal)
          const code = await ended(child)
          pages.push(`(${signal === 'SIGINT' ? 'Ctrl-C' : signal})\n`)
          take()
          pages.push(`(exit ${code})\n`)
          return code
        },
      }
    },
    note: text => void pages.push(`# ${text}\n`),
    transcript: () => pages.filter(page => page !== '').join('\n'),
    async close() {
      const ends = [...running].map(child => ended(child))
      for (const child of running) child.kill('SIGKILL')
      await Promise.all(ends)
    },
  }
}

/** Both streams as one text, as a terminal shows them. */
function listen(child: ChildProcessByStdio<null, Readable, Readable>): () => string {
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk))
  return () => text
}

function ended(child: ChildProcessByStdio<null, Readable, Readable>): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
}

async function until(
  child: ChildProcessByStdio<null, Readable, Readable>,
  isThere: () => boolean,
  complain: () => string,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const look = (): void => {
      if (isThere()) resolve()
    }
    child.stdout.on('data', look)
    child.stderr.on('data', look)
    child.once('close', () => {
      if (isThere()) resolve()
      else reject(new Error(complain()))
    })
    look()
  })
}
