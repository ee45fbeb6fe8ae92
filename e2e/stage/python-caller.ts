import { execFile, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../..', import.meta.url))
const SIGNER = fileURLToPath(new URL('./sign-typed-data.ts', import.meta.url))
/** An output of 5 MiB, each character of it escaped. */
const MAX_OUTPUT_BYTES = 64 * 1_048_576

export const hasPython = spawnSync('python3', ['--version']).status === 0

/** The caller as a module, with our signer in place of the package that it names. */
const IMPORT = `
import json, subprocess, sys
sys.path.insert(0, "examples/python-caller")
import call_agent
def sign(data):
    done = subprocess.run(${JSON.stringify([process.execPath, '--import', 'tsx', SIGNER])}, input=json.dumps(data),
                          text=True, capture_output=True, check=True)
    return done.stdout.strip()
`

/** Runs a Python program that has `call_agent` and `sign`, and resolves to the JSON that it prints. */
export async function runPython(program: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)('python3', ['-c', IMPORT + program], {
    cwd: root,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    maxBuffer: MAX_OUTPUT_BYTES,
  })
  return JSON.parse(stdout)
}
