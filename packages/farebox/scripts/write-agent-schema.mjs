// Writes agent.schema.json, the JSON Schema of agent.json for editors, from the rules that check agent.json.
//   node scripts/write-agent-schema.mjs          writes the file
//   node scripts/write-agent-schema.mjs --check  exits 1 if the file differs
// The packages must be built.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { declarationSchema } from '@farebox/protocol/declaration/declaration-schema'

const file = fileURLToPath(new URL('../agent.schema.json', import.meta.url))
const text = `${JSON.stringify(declarationSchema(), null, 2)}\n`

if (!process.argv.includes('--check')) writeFileSync(file, text)
else if (readIfThere() !== text) {
  console.error('agent.schema.json: out of date; run npm run check -- --fix')
  process.exitCode = 1
}

function readIfThere() {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}
