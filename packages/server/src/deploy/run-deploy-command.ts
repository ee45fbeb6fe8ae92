import { readFileSync } from 'node:fs'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { JsonRpcError } from '@farebox/payments/chain/json-rpc'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import { findNetwork, networkIds, type Network } from '@farebox/payments/networks'
import { createRedactor, secretsInUrl } from '@farebox/payments/internal/redact'
import { systemClock } from '@farebox/protocol/time/clock'
import { EnvironmentError, readRpcUrl, readTogether, shown, variablesOf } from '../environment.ts'
import { processScreen, USAGE_EXIT_CODE, type ProgramScreen } from '../program/run-program.ts'
import type { VariableHelp } from '../program/variables.ts'
import { whyUnreachable } from '../program/why-unreachable.ts'
import {
  confirmOnTerminal,
  DEPLOYER_VARIABLES,
  OPEN_EXIT_CODE,
  readDeployerKey,
  parseDeployArguments,
  type DeployArguments,
} from './deploy-arguments.ts'
import { DeploymentRefused, type DeployableContract } from './plan-deployment.ts'
import { runDeployment, type DeploymentResult } from './run-deployment.ts'

/** The data with which a block explorer compares a contract with its source. */
export interface Verification {
  /** `File.sol:Contract` */
  readonly contract: string
  /** `v0.8.37+commit.…` */
  readonly compiler: string
  readonly settings: string
  /** ABI-encoded `0x` hex; `0x` when there are none. */
  readonly constructorArguments: string
  /** Path of solc's standard JSON input. */
  readonly standardJsonInput: string
}

/** A command that deploys one contract. */
export interface DeployCommand {
  /** With the program's name: `farebox-platform deploy-registry`. */
  readonly name: string
  readonly summary: string
  readonly contract: DeployableContract
  readonly verification: Verification
  /** The variable that names the network, and its help with the default network. */
  readonly networkVariable: {
    readonly name: string
    readonly help: VariableHelp & { readonly default: string }
  }
  readonly rpcUrlHelp: VariableHelp
  /** The resulting lines for an environment file: `AGENT_REGISTRY_ADDRESS=0x…`. */
  settingsFor(address: string, blockNumber: bigint | undefined): readonly string[]
}

/** A block of a public chain takes seconds; this allows for full blocks. */
const TIMEOUT_MS = 180_000

/**
 * Runs a command such as `farebox-platform deploy-registry`: deploys its contract to the chain that the environment names,
 * or finds it there.
 *
 * @param args - the arguments after the command
 * @returns the exit code: 0 deployed, 1 not deployed, 2 invalid arguments, 3 sent but not mined yet
 */
export async function runDeployCommand(
  command: DeployCommand,
  args: readonly string[],
  screen: ProgramScreen = processScreen(),
): Promise<number> {
  const { name, summary, networkVariable, rpcUrlHelp } = command
  const variables = {
    [networkVariable.name]: networkVariable.help,
    EVM_RPC_URL: rpcUrlHelp,
    ...DEPLOYER_VARIABLES,
  }
  const asked = parseDeployArguments(args, { name, summary, variables }, screen)
  if (typeof asked === 'number') return asked
  try {
    return await deploy(command, asked, readDeployer(command, asked), screen)
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error
    screen.err(error.problems.map(problem => `✗ ${problem}\n`).join(''))
    return USAGE_EXIT_CODE
  }
}

interface Deployer {
  readonly network: Network
  readonly rpcUrl: string
  readonly key: string | undefined
}

function readDeployer({ networkVariable }: DeployCommand, { isDryRun }: DeployArguments): Deployer {
  const source = { variables: process.env, readFile: (path: string) => readFileSync(path, 'utf8') }
  const read = variablesOf(source)
  const { name, help } = networkVariable
  return readTogether({
    network: () => readNetwork(name, read(name) ?? help.default),
    rpcUrl: () => readRpcUrl(read),
    key: () => {
      const key = readDeployerKey(source, read)
      if (key !== undefined || isDryRun) return key
      throw new EnvironmentError(
        'DEPLOYER_PRIVATE_KEY is not set: give the key of an account with a little ETH, or its file in ' +
          'DEPLOYER_PRIVATE_KEY_FILE; --dry-run does without',
      )
    },
  })
}

function readNetwork(variable: string, id: string): Network {
  const network = findNetwork(id)
  if (network !== undefined) return network
  throw new EnvironmentError(`${variable} must be one of ${networkIds().join(', ')}, got ${shown(id)}`)
}

async function deploy(
  command: DeployCommand,
  asked: DeployArguments,
  { network, rpcUrl, key }: Deployer,
  screen: ProgramScreen,
): Promise<number> {
  const hide = createRedactor([key, ...secretsInUrl(rpcUrl)])
  const tell = (line: string): void => (asked.isJson ? screen.err : screen.out)(`${hide(line)}\n`)
  const rpc = createJsonRpc(rpcUrl)
  const [signal, release] = abortOnSignals()
  try {
    const result = await runDeployment({
      rpc,
      network,
      crypto: await loadEvmCrypto(),
      contract: command.contract,
      deployerKey: key,
      isDryRun: asked.isDryRun,
      wait: { clock: systemClock, timeoutMs: TIMEOUT_MS, signal },
      tell,
      confirm: question => confirmOnTerminal(question, asked),
    })
    tellResult(command, result, network, tell)
    if (asked.isJson) screen.out(`${JSON.stringify(documentOf(command, result, network), null, 2)}\n`)
    return result.state === 'open' ? OPEN_EXIT_CODE : 0
  } catch (error) {
    if (error instanceof EnvironmentError) throw error
    const { message, next } = explain(error, rpcUrl)
    screen.err(hide(`✗ ${message}\n  ${next}\n`))
    if (asked.isJson)
      screen.out(`${JSON.stringify({ ok: false, error: { message: hide(message), next } })}\n`)
    return 1
  } finally {
    release()
    await rpc.close()
  }
}

function explain(error: unknown, rpcUrl: string): { readonly message: string; readonly next: string } {
  if (error instanceof DeploymentRefused) return error
  const again = 'run the same command again: it finds what was sent and creates nothing twice'
  if (error instanceof JsonRpcError) return { message: `the node refused ${error.message}`, next: again }
  const reason = whyUnreachable(error) ?? (error instanceof Error ? error.message : String(error))
  const { host } = new URL(rpcUrl)
  return {
    message: `cannot reach the node at ${host}: ${reason}`,
    next: `is EVM_RPC_URL right? ${again}`,
  }
}

function tellResult(
  { verification, settingsFor }: DeployCommand,
  result: DeploymentResult,
  network: Network,
  tell: (line: string) => void,
): void {
  tell('')
  if (result.state === 'open') {
    const what = result.transaction === undefined ? 'an earlier transaction' : 'the transaction'
    tell(`${what} is in no block yet; run the same command again: it continues where it stopped`)
    return
  }
  if (result.state === 'planned') {
    tell('nothing was sent')
    return
  }
  const { address, transaction, blockNumber } = result
  for (const line of settingsFor(address, blockNumber)) tell(line)
  tell('')
  if (transaction !== undefined) tell(`transaction            ${transaction}`)
  const { contract, compiler, settings, constructorArguments, standardJsonInput } = verification
  tell(`verify                 ${contract}`)
  tell(`  compiler             ${compiler}`)
  tell(`  settings             ${settings}`)
  tell(`  constructor          ${constructorArguments === '0x' ? 'no arguments' : constructorArguments}`)
  tell(`  standard JSON input  ${standardJsonInput}`)
  if (network.explorer !== undefined) tell(`  explorer             ${network.explorer}/address/${address}`)
}

function documentOf({ verification }: DeployCommand, result: DeploymentResult, network: Network): object {
  const { constructorArguments, standardJsonInput, ...verify } = verification
  return {
    ok: result.state !== 'open',
    state: result.state,
    network: network.id,
    address: result.address,
    ...(result.state === 'planned' && { gas_wei: result.gasWei.toString() }),
    ...(result.state !== 'planned' && { transaction: result.transaction ?? null }),
    ...(result.state === 'deployed' && {
      is_new: result.isNew,
      block: result.blockNumber === undefined ? null : Number(result.blockNumber),
    }),
    verification: {
      ...verify,
      constructor_arguments: constructorArguments,
      standard_json_input: standardJsonInput,
    },
  }
}

/** The first Ctrl-C ends the wait: the next run follows a transaction that was sent. */
function abortOnSignals(): readonly [AbortSignal, () => void] {
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  const names = ['SIGINT', 'SIGTERM'] as const
  for (const name of names) process.on(name, abort)
  return [
    controller.signal,
    () => {
      for (const name of names) process.off(name, abort)
    },
  ]
}
