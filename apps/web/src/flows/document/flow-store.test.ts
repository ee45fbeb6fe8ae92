import type { Flow } from '@farebox/flows/document/flow'
import { expect, test } from 'vitest'
import { keyOfInput } from '../view/key-of-input.ts'
import { createFlowStore, type FlowStore } from './flow-store.ts'

const GREETING: Flow = {
  flow_version: 1,
  name: 'Greeting',
  inputs: { name: { type: 'string', required: true } },
  outputs: ['text'],
  steps: { words: { kind: 'template', text: 'Hello {name}' } },
  wires: [
    { from: { step: 'input', port: 'name' }, to: { step: 'words', port: 'name' } },
    { from: { step: 'words', port: 'text' }, to: { step: 'output', port: 'text' } },
  ],
}

function rename(store: FlowStore, name: string, join?: string): void {
  store.edit([{ edit: 'rename-flow', name }], join === undefined ? {} : { join })
}

test('an edit can be undone and redone, and undoing restores the identical flow object', () => {
  const store = createFlowStore(GREETING)
  rename(store, 'Welcome')
  expect(store.state()).toMatchObject({ flow: { name: 'Welcome' }, canUndo: true, canRedo: false })
  store.undo()
  expect(store.state().flow).toBe(GREETING)
  expect(store.state()).toMatchObject({ canUndo: false, canRedo: true })
  store.redo()
  expect(store.state().flow.name).toBe('Welcome')
})

test('several edits given at once are undone together', () => {
  const store = createFlowStore(GREETING)
  store.edit([
    { edit: 'remove-input', name: 'name' },
    { edit: 'set-constant', to: { step: 'words', port: 'name' }, value: 'you' },
  ])
  expect(store.state().flow.steps['words']?.constants).toEqual({ name: 'you' })
  store.undo()
  expect(store.state().flow).toBe(GREETING)
})

test('letters typed into one text are undone together; those of another text are not', () => {
  const store = createFlowStore(GREETING)
  rename(store, 'W', 'name')
  rename(store, 'We', 'name')
  rename(store, 'Wel', 'another name')
  store.undo()
  expect(store.state().flow.name).toBe('We')
  store.undo()
  expect(store.state().flow).toBe(GREETING)
})

test('an undone edit cannot be redone after another edit', () => {
  const store = createFlowStore(GREETING)
  rename(store, 'Welcome')
  store.undo()
  rename(store, 'Hello')
  expect(store.state().canRedo).toBe(false)
  store.redo()
  expect(store.state().flow.name).toBe('Hello')
})

test('an edit of a missing element leaves nothing to undo', () => {
  const store = createFlowStore(GREETING)
  store.edit([{ edit: 'replace-step', id: 'gone', step: { kind: 'to-number' } }])
  expect(store.state().canUndo).toBe(false)
})

test('a removed element is deselected; undoing restores the previous selection', () => {
  const store = createFlowStore(GREETING)
  const wire = keyOfInput({ step: 'words', port: 'name' })
  store.select(['words', wire, 'input'])
  store.edit([{ edit: 'remove-step', id: 'words' }])
  expect([...store.state().selection]).toEqual(['input'])
  store.undo()
  expect([...store.state().selection]).toEqual(['words', wire, 'input'])
})

test('opening a document leaves nothing to undo; replacing one does', () => {
  const store = createFlowStore(GREETING)
  const other = { ...GREETING, name: 'Other' }
  store.replace(other)
  store.undo()
  expect(store.state().flow).toBe(GREETING)
  store.open(other)
  expect(store.state()).toMatchObject({ flow: { name: 'Other' }, canUndo: false, canRedo: false })
})

test('each change is reported to all listeners until they unsubscribe', () => {
  const store = createFlowStore(GREETING)
  const names: string[] = []
  const stop = store.subscribe(() => names.push(store.state().flow.name))
  rename(store, 'One')
  store.undo()
  stop()
  rename(store, 'Two')
  expect(names).toEqual(['One', 'Greeting'])
})
