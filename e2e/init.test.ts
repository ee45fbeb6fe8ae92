import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { goOutside, type Outside } from './stage/installed/outside.ts'

let outside: Outside
beforeAll(async () => {
  outside = await goOutside()
})
afterAll(() => outside.strike())

test('an agent from the published packages, in a folder outside the repository: installs, passes its own tests and checks', async () => {
  const made = await outside.run('npx', ['--yes', '@farebox/cli', 'init', 'my-agent', '--yes'])
  expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^✓ My agent is in my-agent\/\n/) })
  const folder = join(outside.folder, 'my-agent')

  const installed = await outside.run('npm', ['install'], { folder })
  expect({ ...installed, out: '' }, 'without a warning').toEqual({ code: 0, out: '', err: '' })
  expect(await outside.run('npm', ['test'], { folder })).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^[#ℹ] pass 2\n[#ℹ] fail 0$/m),
  })
  expect(await outside.run('npm', ['run', 'check'], { folder })).toMatchObject({ code: 0, err: '' })
  expect(await outside.run('npx', ['farebox', 'validate'], { folder })).toMatchObject({
    code: 0,
    out: expect.stringContaining('My agent'),
  })
  expect(await outside.run('npx', ['farebox', 'types', '--check'], { folder })).toMatchObject({ code: 0 })
})

test('agent.json names a schema that is there, for editors to complete from', async () => {
  const folder = join(outside.folder, 'my-agent')
  const { $schema } = JSON.parse(await readFile(join(folder, 'agent.json'), 'utf8')) as { $schema: string }
  expect(JSON.parse(await readFile(join(folder, $schema), 'utf8'))).toHaveProperty('properties')
})

test('its Dockerfile installs the runtime without the commands', async () => {
  const image = join(outside.folder, 'image')
  await mkdir(image)
  for (const file of ['package.json', 'package-lock.json'])
    await copyFile(join(outside.folder, 'my-agent', file), join(image, file))
  const { code, err } = await outside.run('npm', ['ci', '--omit=dev'], { folder: image })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(await readdir(join(image, 'node_modules', '@farebox'))).toEqual([
    'contracts',
    'payments',
    'protocol',
  ])
})

test('names that would rather be code stay names', async () => {
  const words = [
    '--name',
    `*/ "Größe" \u2028 \${HOME} \`id\` 🎉\n; rm -rf`,
    '--description',
    `</script>\n# not a heading\n'); injected() //`,
    '--capability',
    `it's "a" */ 👩‍🚀\\`,
    '--price',
    '0.5',
  ]
  const made = await outside.run('npx', ['--yes', '@farebox/cli', 'init', 'hostile', ...words])
  expect(made).toMatchObject({ code: 0, err: '' })
  const folder = join(outside.folder, 'hostile')
  expect(await outside.run('npm', ['install'], { folder })).toMatchObject({ code: 0, err: '' })
  expect(await outside.run('npx', ['farebox', 'validate'], { folder })).toMatchObject({ code: 0, err: '' })
  expect(await outside.run('npm', ['run', 'check'], { folder })).toMatchObject({ code: 0, err: '' })
  expect(await outside.run('npm', ['test'], { folder })).toMatchObject({ code: 0 })
})
