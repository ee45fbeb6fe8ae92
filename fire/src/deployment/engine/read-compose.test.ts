import { expect, test } from 'vitest'
import { graceMsOf, imageOf, networksOf, readCompose, readImages } from './read-compose.ts'

test('what an engine would start is read from the Compose file and the Dockerfiles', async () => {
  const { services } = await readCompose()
  const images = await readImages('/agent', '/operator')
  const started = Object.entries(services).filter(([, service]) => images.has(imageOf(service)))
  expect(started.map(([name, { deploy }]) => [name, deploy?.replicas ?? 1])).toEqual([
    ['facilitator', 2],
    ['platform', 2],
    ['agent', 2],
    ['balancer', 1],
  ])
  expect(images.get('farebox')?.environment).toMatchObject({
    DRAIN_SECONDS: '5',
    FACILITATOR_HOST: '0.0.0.0',
    PLATFORM_HOST: '0.0.0.0',
  })
  expect(images.get('agent')?.environment).toMatchObject({ SERVICE_DRAIN_SECONDS: '5' })
  const [facilitator, balancer] = [services['facilitator'], services['balancer']]
  if (facilitator === undefined || balancer === undefined) throw new Error('the file has neither')
  expect([...networksOf(facilitator)]).toEqual([['default', []]])
  expect([...networksOf(balancer)]).toEqual([
    ['default', []],
    ['agents', ['agent.internal']],
  ])
  expect([graceMsOf(facilitator), graceMsOf(balancer)]).toEqual([40_000, 1_000])
})
