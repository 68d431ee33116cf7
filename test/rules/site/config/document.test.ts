import { describe, expect, test } from 'vitest'
import { readConfig } from '#site/config/config.ts'
import { configOf, sourceOf } from '#test/rules/site/support/config.ts'

describe('docs.json', () => {
  test('a project without it has no settings and no mistakes', async () => {
    expect(await readConfig(sourceOf({}))).toMatchObject({ document: null, settings: {}, errors: [], warnings: [] })
  })

  test('a syntax error names line and column and shows the place', async () => {
    const { errors, settings } = await readConfig(sourceOf({ 'docs.json': '{\n  "name": "x"\n  "theme": "y"\n}' }))
    expect(settings).toBeUndefined()
    expect(errors).toMatchObject([{ path: 'docs.json', line: 3, column: 3 }])
    expect(errors[0]?.frame).toContain('> 3 |   "theme"')
  })

  test('must be an object', async () => {
    expect((await configOf([])).errors).toMatchObject([{ path: 'docs.json', line: 1 }])
  })

  test('every wrong type is an error with its pointer, once', async () => {
    const { errors } = await configOf({
      name: 3,
      colors: { primary: 'red' },
      navbar: { links: [{ label: 1 }] },
      logo: 7,
      redirects: [{ source: '/a' }],
    })
    expect(errors.map(({ pointer }) => pointer)).toEqual([
      '/name',
      '/colors/primary',
      '/logo',
      '/navbar/links/0/label',
      '/redirects/0',
    ])
    expect(errors[1]).toMatchObject({
      line: 4,
      message: 'colors.primary must be a colour in hex, such as "#0f766e", not "red".',
    })
    expect(errors.at(-1)?.message).toBe('redirects.0 lacks destination.')
  })

  test('answers to readers have a daily limit within bounds, and say whether there are any', async () => {
    const messages = async (ask: unknown): Promise<string[]> =>
      (await configOf({ ask })).errors.map(({ message }) => message)
    const bounds = 'ask.dailyLimit must be a whole number from 1 to 1000, not'
    expect(await messages({ enabled: true, dailyLimit: 0 })).toEqual([`${bounds} 0.`])
    expect(await messages({ enabled: true, dailyLimit: 1001 })).toEqual([`${bounds} 1001.`])
    expect(await messages({ enabled: true, dailyLimit: 1.5 })).toEqual([`${bounds} 1.5.`])
    expect(await messages({ dailyLimit: 5 })).toEqual(['ask lacks enabled.'])
    expect(await messages({ enabled: 'yes' })).toEqual(['ask.enabled must be true or false, not "yes".'])
    expect(await messages(true)).toEqual(['ask must be an object with enabled, and perhaps dailyLimit, not true.'])
    expect(await messages({ enabled: true, dailyLimit: 1000 })).toEqual([])
  })

  test('settings without mistakes are kept beside wrong ones', async () => {
    expect((await configOf({ name: 'Docs', colors: 1 })).settings).toEqual({ name: 'Docs' })
  })

  test('settings that do nothing here, and those that nobody knows, are told each at its place', async () => {
    const { warnings, errors } = await configOf({
      $schema: 'https://example.com/docs.json',
      theme: 'mint',
      feedback: { suggestEdit: true },
      contextual: { display: 'toc' },
      navbra: {},
      zzzzzz: 1,
    })
    expect(errors).toEqual([])
    const told = warnings.map(({ pointer, message }) => `${pointer ?? ''} ${message.replace(/[.;] .*/, '')}`)
    expect(told.toSorted()).toEqual([
      '/contextual/display contextual.display does nothing here',
      '/feedback/suggestEdit feedback.suggestEdit does nothing here',
      '/navbra There is no setting navbra',
      '/theme theme does nothing here',
      '/zzzzzz There is no setting zzzzzz',
    ])
    expect(warnings.find(({ pointer }) => pointer === '/theme')?.message).toContain('it would choose one of several')
    expect(warnings.map(({ message }) => message)).toContain(
      'There is no setting navbra; it is ignored. Did you mean navbar?',
    )
  })

  test('settings that work in part say so where they do not', async () => {
    const told = async (api: object): Promise<(string | undefined)[]> =>
      (await configOf({ api })).warnings.map(({ pointer }) => pointer)
    expect(await told({ playground: { display: 'auth' }, examples: { languages: ['curl', 'rust'] } })).toEqual([
      '/api/playground/display',
      '/api/examples/languages',
    ])
    expect(await told({ playground: { display: 'simple' }, examples: { languages: ['curl', 'go'] } })).toEqual([])
  })

  test('settings for search engines are no warning', async () => {
    const metatags = { robots: 'noindex', 'og:image': '/card.png' }
    expect((await configOf({ seo: { metatags } })).warnings).toEqual([])
  })

  test('a byte order mark is no mistake', async () => {
    expect((await readConfig(sourceOf({ 'docs.json': '\uFEFF{"name":"x"}' }))).settings).toEqual({ name: 'x' })
  })
})

describe('$ref', () => {
  test('puts a file in place, relative to the file that names it', async () => {
    const { document, files } = await configOf(
      { name: 'x', navigation: { $ref: './config/nav.json' } },
      { 'config/nav.json': '{"groups":{"$ref":"groups.json"}}', 'config/groups.json': '[{"group":"A","pages":["a"]}]' },
    )
    expect(document?.['navigation']).toEqual({ groups: [{ group: 'A', pages: ['a'] }] })
    expect([...files.keys()]).toEqual(['docs.json', 'config/nav.json', 'config/groups.json'])
  })

  test('members beside it win', async () => {
    const { document } = await configOf(
      { navbar: { $ref: 'n.json', links: [] } },
      { 'n.json': '{"links":[1],"primary":{"href":"/"}}' },
    )
    expect(document?.['navbar']).toEqual({ links: [], primary: { href: '/' } })
  })

  test('mistakes in an included file name that file', async () => {
    const { errors } = await configOf({ colors: { $ref: 'c.json' } }, { 'c.json': '{\n"primary": "red"}' })
    expect(errors).toMatchObject([{ path: 'c.json', line: 2, pointer: '/primary' }])
  })

  test.each([
    '../outside.json',
    '/../outside.json',
    'https://evil.example/x.json',
    'file:///etc/x.json',
    '//host/x.json',
    'a\\b.json',
    'x.yaml',
    'absent.json',
    'docs.json',
  ])('refuses %s', async (ref) => {
    const { errors, settings } = await configOf({ navigation: { $ref: ref } })
    expect(errors).toHaveLength(1)
    expect(errors[0]?.path).toBe('docs.json')
    expect(settings).toBeUndefined()
  })

  test('a circle through several files is an error that shows the way', async () => {
    const { errors } = await configOf(
      { navigation: { $ref: 'a.json' } },
      { 'a.json': '{"x":{"$ref":"b.json"}}', 'b.json': '{"y":{"$ref":"a.json"}}' },
    )
    expect(errors[0]?.message).toContain('docs.json → a.json → b.json → a.json')
  })

  test('includes that double with every level end in an error', async () => {
    const files: Record<string, string> = {}
    for (let level = 0; level < 15; level++) files[`${level}.json`] = `[${`{"$ref":"${level + 1}.json"},`.repeat(4)}1]`
    files['15.json'] = '[1]'
    const { errors } = await configOf({ navigation: { $ref: '0.json' } }, files)
    expect(errors.length).toBeGreaterThan(0)
    expect(errors[0]?.message).toMatch(/too many files/)
  })
})
