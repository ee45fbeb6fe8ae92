import { spawn } from 'node:child_process'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const BIN = fileURLToPath(new URL('../bin/farebox-cli.js', import.meta.url))

test.runIf(process.platform === 'linux')(
  'an answer that could not be written leads to exit code 1, so that a script does not take silence for an answer',
  async () => {
    const full = await open('/dev/full', 'w')
    const child = spawn(process.execPath, [BIN, 'wallet', 'list', '--json'], {
      env: { PATH: process.env['PATH'], FAREBOX_HOME: tmpdir() },
      stdio: ['ignore', full.fd, 'ignore'],
    })
    const code = await new Promise(resolve => child.once('close', resolve))
    await full.close()
    expect(code).toBe(1)
  },
)
