// Within a package imports run downhill: each room, a folder of `src`, imports from those after it only. And no folder
// holds more files than a person takes in at a look.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { Explained } from './prepare.mjs'

/** From top to bottom. A name is a folder, or a file at the top of `src`; `*` is every other file there. */
const ROOMS = {
  cli: [
    ['bin'],
    ['run-cli'],
    ['commands', 'process-world', 'testing'],
    ['flow', 'limits', 'wallet', 'verify-receipt'],
    ['account', 'flow/run', 'flow/export', 'limits/agent', 'limits/chain'],
    ['flow/check', 'flow/journal'],
    ['dev'],
    ['dev/page'],
    ['dev/paid', 'dev/screen'],
    ['dev/supervise'],
    ['dev/agent', 'dev/watch'],
    ['dev/messages'],
    ['register'],
    ['register/stake', 'register/status'],
    ['register/transaction'],
    ['register/registry'],
    ['register/platform', 'register/examination'],
    ['check'],
    ['check/agent'],
    ['call'],
    ['call/outcome', 'call/input'],
    ['call/journal'],
    ['init', 'start'],
    ['init/project'],
    ['init/vendor'],
    ['types'],
    ['chain'],
    ['keys'],
    ['home'],
    ['terminal'],
    ['*'],
  ],
  client: [['*'], ['attempt', 'run'], ['pay'], ['agent'], ['exchange']],
  contracts: [['testing'], ['calls'], ['*']],
  conformance: [
    ['bin'],
    ['command'],
    ['agent/index', 'facilitator/index', 'serve-fixture'],
    ['report'],
    ['agent/run', 'facilitator/run'],
    ['agent/areas/job'],
    ['agent/areas/payment'],
    ['agent/areas/request'],
    ['agent/areas/price'],
    ['agent/areas/discovery'],
    ['facilitator/rules/door', 'facilitator/rules/payment', 'facilitator/rules/settlement'],
    ['facilitator/trial'],
    ['agent/check', 'agent/fixture'],
    ['agent/exchange'],
    ['*'],
  ],
  flows: [['run'], ['check'], ['edit'], ['graph'], ['adapters'], ['document']],
  'platform-api': [['me', 'flows', 'limits'], ['*'], ['registration', 'digest', 'listing'], ['errors']],
  server: [['deploy', 'postgres'], ['*'], ['program']],
  platform: [
    ['program'],
    ['create-platform'],
    ['app'],
    ['pages'],
    ['runs'],
    ['runs/drive', 'runs/pay'],
    ['runs/records'],
    ['flows'],
    ['operator', 'search', 'wallets'],
    ['agent-pages', 'account-pages'],
    ['canary', 'monitor'],
    ['jobs', 'registry'],
    ['jobs/order', 'jobs/drive', 'registry/chain', 'registry/inspect'],
    ['jobs/quote', 'registry/declarations'],
    ['jobs/records', 'badges', 'owners'],
    ['owners/settlements'],
    ['receipts', 'reputation', 'metrics', 'limits'],
    ['listing'],
    ['agents', 'contract-events'],
    ['platform-parts'],
    ['http', 'outbound', 'checking', 'tallies', 'storage'],
    ['sealing', 'work'],
    ['outbound/address'],
    ['*'],
  ],
  protocol: [
    ['declaration', 'samples', 'compatibility', 'translation', 'job'],
    ['field-rules'],
    ['fields'],
    ['problems', 'money', 'errors', 'body'],
    ['connection'],
    ['health', 'payment-required'],
    ['trace'],
    ['time'],
    ['version', 'limits', 'can-parse-url', 'guards'],
  ],
  facilitator: [
    ['program'],
    ['create-facilitator'],
    ['assembly'],
    ['readiness'],
    ['http', 'reconcile', 'scrape-sources'],
    ['engine'],
    ['relayer'],
    ['relayer/transaction'],
    ['relayer/account'],
    ['chain'],
    ['count-loss'],
    ['metrics'],
    ['facilitator-limits'],
    ['ledger'],
    ['secrets', 'batch-calls', 'share-calls'],
  ],
  farebox: [
    ['index', 'command-line', 'bin'],
    ['commands'],
    ['workers'],
    ['serving'],
    ['invocation', 'testing'],
    ['agent'],
    ['isolation', 'scrape', 'http'],
    ['isolation/output'],
    ['execute'],
    ['execute/repeat'],
    ['execute/outcome'],
    ['execute/run', 'execute/payment'],
    ['execute/request'],
    ['execute/service'],
    ['loading', 'spending', 'hiring'],
    ['config', 'environment'],
    ['metrics', 'input-checks', 'loop-watch'],
    ['settlements'],
    ['payment-gate', 'handler'],
    ['jobs', 'answer', 'tracing'],
    ['*'],
  ],
  web: [
    ['browser', 'create-pages', 'dev-page'],
    ['server'],
    ['app'],
    ['pages'],
    ['owner'],
    ['flows/builder'],
    ['flows/canvas', 'flows/outline'],
    ['flows/editing'],
    ['flows/settings'],
    ['flows/run-view'],
    ['flows/sign'],
    ['session', 'stake'],
    ['quick-execute'],
    ['job-view', 'input-form'],
    ['limits'],
    ['purse', 'keys'],
    ['flows/editor'],
    ['flows/runs', 'flows/document'],
    ['flows/view'],
    ['orders'],
    ['kept'],
    ['wallet', 'parts', 'fields', 'flows/describe', 'flows/route-map'],
    ['site', 'signs', 'format'],
    ['styles'],
  ],
  local: [['testing'], ['*'], ['listing'], ['chain', 'postgres'], ['processes'], ['starting']],
  payments: [
    ['x402', 'transaction'],
    ['chain'],
    ['authorization', 'http'],
    ['redact'],
    ['crypto', 'networks'],
  ],
}

/** Source files of one folder, tests and what only they use left out. */
const MOST_FILES = 14
const IMPORT = /(?:from|import)\s*\(?\s*['"](\.[^'"]*)['"]/g

/**
 * Throws naming each import that climbs, each room that is not in the order, and each folder that is too large.
 *
 * @param {string} root
 * @returns {number} how many rooms there are
 */
export function checkRooms(root) {
  const faults = []
  let count = 0
  const packages = readdirSync(join(root, 'packages')).map(name => ({ name, place: `packages/${name}` }))
  for (const { name, place: home } of [...packages, { name: 'web', place: 'apps/web' }]) {
    const src = join(root, home, 'src')
    const files = sources(src)
    const folders = groupByFolder(files)
    count += folders.size
    for (const [folder, { length }] of folders) {
      const place = relative(root, folder).split(sep).join('/')
      if (length > MOST_FILES) faults.push(`${place} has ${length} files, at most ${MOST_FILES} are wanted`)
    }
    const order = ROOMS[name]
    if (order === undefined) faults.push(`${home} has no order of folders in scripts/check-rooms.mjs`)
    else faults.push(...climbs(src, files, order))
  }
  if (faults.length > 0) throw new Explained(faults.join('\n'))
  return count
}

/** Imports of one package that go up or sideways. */
function climbs(src, files, order) {
  const depthOf = new Map(order.flatMap((rooms, depth) => rooms.map(room => [room, depth])))
  // The longest name in the order: a folder in a folder may be a room of its own.
  const roomOf = file => {
    const parts = relative(src, file)
      .replace(/\.tsx?$/, '')
      .split(sep)
    const isAtTop = parts.length === 1
    for (; parts.length > 0; parts.pop()) if (depthOf.has(parts.join('/'))) return parts.join('/')
    return isAtTop ? '*' : relative(src, dirname(file))
  }
  const faults = []
  for (const file of files) {
    const place = relative(dirname(dirname(src)), file)
    const room = roomOf(file)
    const depth = depthOf.get(room)
    if (depth === undefined) {
      faults.push(`${place}: ${room} is not in the order of folders`)
      continue
    }
    for (const [, specifier] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const imported = roomOf(join(dirname(file), specifier))
      if (imported !== room && !((depthOf.get(imported) ?? -1) > depth))
        faults.push(`${place}: ${specifier} is not below ${room}`)
    }
  }
  return faults
}

function sources(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name))
    .filter(file => !/\.test(?:-\w+)?\.tsx?$|[/\\]test-setup[/\\]|\.d\.ts$|\.child\.ts$/.test(file))
}

function groupByFolder(files) {
  const folders = new Map()
  for (const file of files) folders.set(dirname(file), [...(folders.get(dirname(file)) ?? []), file])
  return folders
}
