// Compiles every contract of sol/ into a TypeScript module of src/, those of sol/testing/ into src/testing/, which is
// not published.
//   node scripts/compile.mjs          writes the modules
//   node scripts/compile.mjs --check  compares them with what is there; exits 1 and names those that differ
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import solc from 'solc'

const packageFolder = fileURLToPath(new URL('..', import.meta.url))
const require = createRequire(import.meta.url)

// cancun: the oldest rules OpenZeppelin 5.7 compiles for (mcopy), known to Base and to every anvil we accept.
// Without metadata the bytecode depends on the code alone, not on comments, paths or file order.
const settings = {
  evmVersion: 'cancun',
  optimizer: { enabled: true, runs: 200 },
  metadata: { bytecodeHash: 'none', appendCBOR: false },
}

const differing = []
for (const [file, text] of compileAll()) {
  const path = join(packageFolder, 'src', file)
  if (!process.argv.includes('--check')) write(path, text)
  else if (readIfThere(path) !== text) differing.push(file)
}
if (differing.length > 0) {
  console.error(`src/${differing.join(', src/')}: not what sol/ compiles to; run node scripts/compile.mjs`)
  process.exitCode = 1
}

function compileAll() {
  const names = readdirSync(join(packageFolder, 'sol'), { recursive: true, encoding: 'utf8' })
    .map(name => name.split(sep).join('/'))
    .filter(name => name.endsWith('.sol'))
    .sort()
  const sources = Object.fromEntries(names.map(name => [name, { content: readSource(name) }]))
  const outputSelection = { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode'] } }
  const input = { language: 'Solidity', sources, settings: { ...settings, outputSelection } }
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: readImport }))
  const messages = (output.errors ?? []).filter(isOurs).map(error => error.formattedMessage)
  if (messages.length > 0) throw new Error(messages.join('\n'))
  return names.map(name => {
    const contractName = basename(name, '.sol')
    const file = join(dirname(name), `${kebabCase(contractName)}.ts`)
    return [file, renderModule(name, output.contracts[name][contractName])]
  })
}

/** Every warning is one, but that transient storage outlives a call: OpenZeppelin's guard clears it (EIP-1153). */
function isOurs({ errorCode, sourceLocation }) {
  return errorCode !== '2394' || !sourceLocation?.file.startsWith('@openzeppelin/')
}

function readSource(name) {
  return readFileSync(join(packageFolder, 'sol', name), 'utf8')
}

function readImport(path) {
  return { contents: readFileSync(require.resolve(path), 'utf8') }
}

function renderModule(name, contract) {
  const contractName = basename(name, '.sol')
  const variable = kebabCase(contractName).replace(/-(.)/g, (_, letter) => letter.toUpperCase())
  const { object: deployedBytecode, immutableReferences } = contract.evm.deployedBytecode
  const lines = [
    `// Generated from sol/${name} by scripts/compile.mjs; do not edit.`,
    `// solc ${solc.version().replace(/\.Emscripten.*$/, '')}, optimizer ${settings.optimizer.runs} runs, ` +
      `evmVersion ${settings.evmVersion}, no metadata.`,
    '',
    `/** The ABI of ${contractName}. */`,
    `export const ${variable}Abi = ${render(contract.abi, '')} as const`,
    '',
    `/** The code that creates ${contractName}: send it in a transaction without \`to\`. */`,
    `export const ${variable}Bytecode: \`0x\${string}\` =`,
    `  '0x${contract.evm.bytecode.object}'`,
  ]
  // With immutables the compiler's runtime code has holes in it, and nobody should place that anywhere.
  if (Object.keys(immutableReferences).length === 0) {
    lines.push(
      '',
      `/** The runtime code of ${contractName}, complete as it stands: it can be placed at any address. */`,
      `export const ${variable}DeployedBytecode: \`0x\${string}\` =`,
      `  '0x${deployedBytecode}'`,
    )
  }
  return `${lines.join('\n')}\n`
}

/** A JSON value as the house writes it: single quotes, bare keys, trailing commas, one line where it fits. */
function render(value, indent) {
  if (typeof value === 'string') return `'${value}'`
  if (typeof value !== 'object') return String(value)
  const isList = Array.isArray(value)
  const oneLine = isList
    ? `[${value.map(item => render(item, '')).join(', ')}]`
    : `{ ${Object.entries(value)
        .map(([key, item]) => `${key}: ${render(item, '')}`)
        .join(', ')} }`
  if (indent.length > 0 && indent.length + oneLine.length <= 100 && !oneLine.includes('\n')) return oneLine
  const inner = `${indent}  `
  const lines = isList
    ? value.map(item => `${inner}${render(item, inner)},\n`)
    : Object.entries(value).map(([key, item]) => `${inner}${key}: ${render(item, inner)},\n`)
  return `${isList ? '[' : '{'}\n${lines.join('')}${indent}${isList ? ']' : '}'}`
}

function kebabCase(name) {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase()
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}
