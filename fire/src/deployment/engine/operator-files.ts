import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { COMPOSE_FOLDER } from './read-compose.ts'

const run = promisify(execFile)
/** As docs/operating-a-cluster.md has it; the names below the agent's are those of the other agents. */
const CERTIFICATES = `
openssl req -x509 -newkey rsa:2048 -nodes -days 365 -subj /CN=agents -keyout ca.key -out agents_ca.pem
openssl req -newkey rsa:2048 -nodes -subj /CN=agent.internal -keyout agent.key -out agent.csr
printf 'subjectAltName=DNS:agent.internal,DNS:*.agent.internal\\n' > agent.ext
openssl x509 -req -in agent.csr -CA agents_ca.pem -CAkey ca.key -CAcreateserial -days 365 -extfile agent.ext -out agent.crt
cat agent.crt agent.key > agent.pem
`

/** Copies the files of `deploy/compose` and makes the secrets, as the operator's page says. */
export async function prepareOperator(folder: string, relayerKey: string): Promise<void> {
  const secrets = join(folder, 'secrets')
  await cp(COMPOSE_FOLDER, folder, { recursive: true })
  await mkdir(secrets)
  await run('sh', ['-ec', CERTIFICATES], { cwd: secrets })
  await writeFile(join(secrets, 'relayer_key'), `${relayerKey}\n`)
  await writeFile(join(secrets, 'payment_key'), `0x${randomBytes(32).toString('hex')}\n`)
}

/** Fills in the example of a `.env` file, and adds to it. Returns what a container gets by the file. */
export async function fillEnv(
  folder: string,
  service: string,
  values: { readonly [name: string]: string },
): Promise<{ readonly [name: string]: string }> {
  const lines = (await readFile(join(folder, `${service}.env.example`), 'utf8')).split('\n')
  const examples = lines.flatMap(line => {
    const [, name, value] = /^([A-Z_]+)=(.*)$/.exec(line) ?? []
    return name === undefined || value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(examples), ...values }
}

/** The secrets of a service, each as a file of its name. */
export async function placeSecrets(
  operatorFolder: string,
  container: string,
  files: { readonly [name: string]: string },
): Promise<string> {
  const folder = join(operatorFolder, 'run-secrets', container)
  await mkdir(folder, { recursive: true })
  for (const [name, file] of Object.entries(files)) await cp(join(operatorFolder, file), join(folder, name))
  return folder
}
