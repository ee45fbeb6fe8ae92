import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fund } from '@farebox/local/chain/faucet'
import { runCommand, type ScannedCommand } from './run-command.ts'
import type { SecretStage } from './secret-stage.ts'

const CLI = fileURLToPath(new URL('../../../packages/cli/bin/farebox-cli.js', import.meta.url))

/** Runs the commands that are told keys and passwords; what they print and what they keep is scanned. How many. */
export async function playCommands(set: SecretStage, signal: AbortSignal): Promise<number> {
  const { scan, folder, planted, stage } = set
  const home = join(folder, 'home')
  await mkdir(home, { recursive: true })
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, `${planted.walletPassword}\n`)
  let run = 0
  for (const command of commands(set, home, passwordFile)) {
    if (signal.aborted) return run
    await runCommand(scan, command)
    run += 1
    const address = await madeWallet(home)
    if (command.name.endsWith('wallet new') && address !== undefined)
      await fund(stage.chain, address, { usdcAtomic: 1_000_000n })
  }
  await scanKept(set, home)
  return run
}

function commands(set: SecretStage, home: string, passwordFile: string): readonly ScannedCommand[] {
  const { folder, planted, node, believer, doubter, free } = set
  const password = { FAREBOX_WALLET_PASSWORD: planted.walletPassword }
  const key = { FAREBOX_PRIVATE_KEY: planted.payerKey }
  const node_ = { FAREBOX_RPC_URL: node.url }
  const cli = (
    name: string,
    args: readonly string[],
    environment: { readonly [name: string]: string } = {},
  ): ScannedCommand => ({
    name: `farebox ${name}`,
    args: [CLI, ...args],
    folder,
    environment: { FAREBOX_HOME: home, HOME: home, ...environment },
    timeoutMs: 30_000,
  })
  const call = ['call', believer.process.url, 'work', '--how', 'answer', '--max-price', '1']
  const doubtful = ['call', doubter.process.url, 'work', '--how', 'answer', '--max-price', '1', '--json']
  return [
    cli('wallet new', ['wallet', 'new'], password),
    cli('wallet new, a short password', ['wallet', 'new', 'other'], { FAREBOX_WALLET_PASSWORD: 'short' }),
    cli('wallet list', ['wallet', 'list'], { ...password, ...key }),
    cli('wallet address', ['wallet', 'address'], key),
    cli('wallet balance', ['wallet', 'balance', '--rpc-url', node.url], { ...password, ...key }),
    cli('wallet balance, a node that is not there', ['wallet', 'balance'], {
      ...key,
      FAREBOX_RPC_URL: `http://127.0.0.1:9/v3/${planted.nodeKeyInPath}?token=${planted.nodeKeyInQuery}`,
    }),
    cli('wallet balance, a node that refuses', ['wallet', 'balance'], {
      ...key,
      FAREBOX_RPC_URL: `${node.url}x`,
    }),
    cli('wallet, a key as a name', ['wallet', 'address', planted.payerKey]),
    cli('wallet new, a key as a name', ['wallet', 'new', planted.payerKey], password),
    cli('call, a key', call, { ...key, ...node_ }),
    cli('call, a key, JSON', [...call, '--json'], { ...key, ...node_ }),
    cli('call, a dry run', [...call, '--dry-run'], key),
    cli('call, a wallet', [...call, '--wallet', 'default'], { ...password, ...node_ }),
    cli('call, a password file', [...call, '--wallet', 'default', '--password-file', passwordFile]),
    cli('call, a wrong password', [...call, '--wallet', 'default'], {
      FAREBOX_WALLET_PASSWORD: `${planted.walletPassword}x`,
    }),
    cli('call, a password in place of its file', [...call, '--password-file', planted.walletPassword]),
    cli('call, a key as a wallet', [...call, '--wallet', planted.payerKey]),
    cli('call, a key that is none', call, { FAREBOX_PRIVATE_KEY: `${planted.payerKey}00` }),
    cli('call, a doubter', doubtful, { ...key, ...node_ }),
    cli('call, nobody there', ['call', 'http://127.0.0.1:9', 'work', '--how', 'answer'], key),
    cli('call, a free agent', ['call', free.url, 'work', '--how', 'throw message'], key),
    cli('call --list', ['call', '--list'], key),
    cli('call --resume', ['call', '--resume'], { ...key, ...password }),
    cli('call --help', ['call', '--help'], { ...key, ...password }),
    cli('check', ['check', believer.process.url, '--json'], { ...key, ...node_ }),
    cli('check, no payment', ['check', doubter.process.url], key),
    cli('validate', ['validate', join(folder, 'agent', 'agent.json')], { ...key, ...password }),
  ]
}

async function madeWallet(home: string): Promise<string | undefined> {
  const files = await readdir(join(home, 'wallets')).catch(() => [])
  for (const file of files) {
    const address = /"address": "([0-9a-f]{40})"/.exec(
      await readFile(join(home, 'wallets', file), 'utf8'),
    )?.[1]
    if (address !== undefined) return `0x${address}`
  }
  return undefined
}

/**
 * What is kept is kept without keys and passwords. The journal of calls has the signed payments: they are what is sent
 * again when an answer was lost; so of the journal only the rest is looked for, by a scan of its own.
 */
async function scanKept({ scan }: SecretStage, home: string): Promise<void> {
  for (const entry of await readdir(home, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const text = await readFile(path, 'utf8')
    const isJournal = path.includes('calls')
    scan.read(`file ${path.slice(home.length + 1)}`, isJournal ? withoutPayments(text) : text)
  }
}

function withoutPayments(journal: string): string {
  return journal.replaceAll(/"(?:header|signature|payment|salt)":\s*"[^"]*"/g, '"payment":""')
}
