import { systemClock } from '@farebox/protocol/time/clock'
import { expect, test } from 'vitest'
import { createProject } from '../../testing/dev-process.ts'
import { checkTypes, readProblems, type TypeProblem } from './check-types.ts'

const TSCONFIG = JSON.stringify({
  compilerOptions: { target: 'es2023', module: 'nodenext', strict: true, types: [] },
  include: ['*.ts'],
})

test('type errors are reported after a save with their place, and when they are fixed', async () => {
  const project = await createProject({
    'tsconfig.json': TSCONFIG,
    'handlers.ts': 'export const words: number = "three"\n',
  })
  const told: (readonly TypeProblem[])[] = []
  const config = `${project.folder}/agent.json`
  const check = checkTypes({ config, folder: project.folder }, systemClock, problems => told.push(problems))
  try {
    check.begin()
    await expect.poll(() => told.length).toBe(1)
    expect(told[0]).toEqual([
      {
        file: 'handlers.ts',
        line: 1,
        column: 14,
        reasons: ["Type 'string' is not assignable to type 'number'."],
      },
    ])
    await project.save('handlers.ts', 'export const words: number = 3\n')
    check.begin()
    await expect.poll(() => told.length).toBe(2)
    expect(told[1]).toEqual([])
  } finally {
    check.stop()
    await project.clear()
  }
})

test('the compiler’s reasons below an error belong to it, and its paths are relative to the working directory', () => {
  const output = [
    "handlers.ts(8,3): error TS2322: Type 'A' is not assignable to type 'B'.",
    "  Types of property 'words' are incompatible.",
    "    Type 'string' is not assignable to type 'number'.",
    'src/more (1).ts(2,5): error TS1005: ; expected.',
    '',
  ].join('\r\n')
  expect(readProblems(output, { from: '/projects/agent', to: '/projects' })).toEqual([
    {
      file: 'agent/handlers.ts',
      line: 8,
      column: 3,
      reasons: [
        "Type 'A' is not assignable to type 'B'.",
        "Types of property 'words' are incompatible.",
        "Type 'string' is not assignable to type 'number'.",
      ],
    },
    { file: 'agent/src/more (1).ts', line: 2, column: 5, reasons: ['; expected.'] },
  ])
})
