import { basename } from 'node:path'
import { systemClock } from '@farebox/protocol/time/clock'
import { CommandError, EXIT } from '../command-error.ts'
import type { World } from '../world.ts'
import { createAgentProcesses } from './supervise/agent-processes.ts'
import { type Announcer, announceToAll, columnsOf, createAnnouncer } from './screen/announce.ts'
import { economyFolderOf } from '../keys/local-economy.ts'
import { checkTypes } from './screen/check-types.ts'
import { DEV_MODE } from './messages/dev-variables.ts'
import { type DevSession, startDevSession } from './dev-session.ts'
import type { LoadAgentCommand, Report, Serving } from './messages/messages.ts'
import type { DevPage } from './page/dev-page.ts'
import type { PaidPath } from './paid/paid-path.ts'
import type { DevSettings } from './settings.ts'

/**
 * Serves the agent and watches its files until the world's signal aborts; resolves to the exit code.
 *
 * Throws a `CommandError` when it cannot start: the port is taken, or a requirement of `--paid` is missing.
 */
export async function develop(world: World, settings: DevSettings): Promise<number> {
  let logFormat: 'text' | 'json' = world.variables['SERVICE_LOG'] === 'json' ? 'json' : 'text'
  let page: DevPage | undefined
  const terminal = createAnnouncer(world, () => logFormat)
  const announcer = announceToAll(() => (page === undefined ? [terminal] : [terminal, page.announcer]))
  const tellReport = createReportTeller(announcer)
  const typeCheck = checkTypes({ config: settings.config, folder: world.folder }, systemClock, problems =>
    announcer.types(problems),
  )
  let paid: PaidPath | undefined
  const session = startDevSession({
    world,
    announcer,
    clock: systemClock,
    beginsLater: settings.isPaid,
    // The first process is started before anything else is read.
    processes: createAgentProcesses(world.folder, (line, from) => announcer.line(line, from)),
    onLoading: () => page?.loading(),
    onServing(serving) {
      logFormat = serving.logFormat
      page?.serving(serving)
      typeCheck.begin()
      void paid?.noteAgent(localAgent(serving)).catch(() => undefined)
    },
    onReport(report) {
      if (report.kind === 'typed') typeCheck.begin()
      if (report.kind === 'job') page?.onJobEvent(report.event)
      tellReport(report, paid)
    },
  })
  try {
    const aborted = untilAborted(world.signal)
    page = await startPage(world, settings, () => paid)
    if (settings.isPaid) paid = await startPaid(world, settings, page?.url)
    await Promise.race([session.begin(firstLoad(world, settings, { paid, page })), aborted])
    const broken = await Promise.race([aborted, ...(paid === undefined ? [] : [paid.broken])])
    if (broken !== undefined) announcer.trouble(broken, 'stopping')
    await stop(session, announcer)
    announcer.note('stopped')
    return broken === undefined ? EXIT.done : EXIT.refused
  } finally {
    typeCheck.stop()
    await session.stop()
    await page?.stop()
    await paid?.stop()
  }
}

/** Starts the page while the first agent process gets ready; the process does not wait for the page. */
async function startPage(
  { variables }: World,
  { hasPage, pagePort, port }: DevSettings,
  paid: () => PaidPath | undefined,
): Promise<DevPage | undefined> {
  if (!hasPage) return undefined
  const { startDevPage } = await import('./page/dev-page.ts')
  return await startDevPage({
    clock: systemClock,
    paid,
    agentPort: port ?? Number(variables['PORT']),
    ...(pagePort !== undefined && { port: pagePort }),
  })
}

/** The code of the paid path is large, so it is loaded only on demand. */
async function startPaid(world: World, { config }: DevSettings, page: string | undefined): Promise<PaidPath> {
  const { startPaidPath } = await import('./paid/paid-path.ts')
  return await startPaidPath({
    folder: world.folder,
    economyFolder: economyFolderOf(world),
    config,
    wallet: await readWallet(world, config),
    page,
    screen: world.out,
    clock: systemClock,
    signal: world.signal,
  })
}

/** D30: reads the wallet from the environment, else from `.env`; `undefined` when neither names one. */
async function readWallet({ variables, folder }: World, config: string): Promise<string | undefined> {
  const { ExplainedError, readDotEnv } = await import('farebox/internal/command-line')
  try {
    const file = await readDotEnv(config, variables, folder)
    return { ...file?.variables, ...variables }['AGENT_WALLET_ADDRESS'] || undefined
  } catch (error) {
    throw error instanceof ExplainedError
      ? new CommandError(error.message, error.hint, { cause: error })
      : error
  }
}

function firstLoad(
  world: World,
  settings: DevSettings,
  { paid, page }: { readonly paid: PaidPath | undefined; readonly page: DevPage | undefined },
): LoadAgentCommand {
  const { config, handlers, port, host } = settings
  const set = Object.entries(world.variables).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  return {
    kind: 'load',
    folder: world.folder,
    config,
    host,
    variables: Object.fromEntries(set),
    forced: paid?.variables ?? DEV_MODE,
    reportsJobs: paid !== undefined || page !== undefined,
    samplesAllowed: true,
    heading: paid?.heading ?? (page === undefined ? [] : [`  page   ${page.url}`]),
    columns: columnsOf(world.out),
    live: world.out.live && world.variables['SERVICE_LOG'] !== 'json',
    ...(handlers !== undefined && { handlers }),
    ...(port !== undefined && { port }),
    ...(page !== undefined && { page: page.url }),
  }
}

function localAgent({ description }: Serving): Parameters<PaidPath['noteAgent']>[0] {
  const { name, url, wallet, capabilities } = description
  return { name, url, wallet, capabilities }
}

/** Shows reports in order: a report whose details take time delays the reports after it. */
function createReportTeller(announcer: Announcer): (report: Report, paid: PaidPath | undefined) => void {
  let told: Promise<void> = Promise.resolve()
  return (report, paid) => {
    if (report.kind === 'typed') announcer.note(`${basename(report.file)} written, handlers are typed by it`)
    if (report.kind === 'not typed') announcer.note(`types are not kept up to date: ${report.reason}`)
    if (report.kind !== 'job' || paid === undefined) return
    const lines = Promise.resolve(paid.onJobEvent(report.event))
    told = told.then(async () => announcer.trace(await lines)).catch(() => undefined)
  }
}

/** When stopping takes longer than this, the reason is shown. */
const STOPPING_TOLD_AFTER_MS = 700

async function stop(session: DevSession, announcer: Announcer): Promise<void> {
  const cancel = systemClock.after(STOPPING_TOLD_AFTER_MS, () =>
    announcer.note('waiting for the jobs in flight; Ctrl-C again ends them'),
  )
  await session.stop()
  cancel()
}

function untilAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise(resolve => {
    if (signal.aborted) return resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}
