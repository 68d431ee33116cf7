import { describe, expect, it } from 'vitest'
import type { ComponentProperty } from '#contract/components.ts'
import { parseFenceMeta } from '#site/highlight/meta.ts'
import type { Value } from '#site/components/component.tsx'
import { componentFacts } from '#site/components/facts.ts'
import { otherProperties } from '#site/components/properties.ts'
import { components } from '#site/components/registry.ts'
import { child, contextOf } from './render.ts'

const code = (language: string) =>
  child(`<figure>${language}</figure>`, { component: 'pre', code: parseFenceMeta(language, '') })

/** Values as authors may give them: what a component reads can depend on what it has read before. */
function valuesOf({ name, type, choices }: ComponentProperty): readonly Value[] {
  if (type === 'choice') return choices ?? []
  if (type === 'number') return [2]
  if (type === 'boolean') return [true, false]
  if (name === 'value') return ['#fff', { light: '#fff', dark: '#000' }]
  if (name === 'actions') return [['copy', 'cursor']]
  if (name === 'repo') return ['octocat/hello-world', 'https://github.com/octocat/hello-world.git']
  if (type === 'code') return [['a', 'b'], { maxWidth: '20rem' }]
  return name === 'icon'
    ? ['flag', '/flag.svg']
    : [name === 'href' || name === 'img' || name === 'src' ? '/start' : 'words']
}

/** What a component reads of its properties, and what it makes of them. */
function watch(name: string, given: ReadonlyMap<string, Value>) {
  const component = components.get(name)
  if (component === undefined) throw new Error(`No component ${name}`)
  const read = new Set<string>()
  const props = new Map(given)
  const get = props.get.bind(props)
  props.get = (property) => {
    read.add(property)
    return get(property)
  }
  const reported = { warnings: [] as string[], features: [], headings: [] }
  const step = components.get('Step')?.(new Map([['title', 'words']]), [], contextOf(reported)).html ?? ''
  const children = [code('js'), code('py'), child(step, { component: 'Step', props: new Map() })]
  return { read, html: component(props, children, contextOf(reported)).html, warnings: reported.warnings }
}

function settings(properties: readonly ComponentProperty[]): readonly ReadonlyMap<string, Value>[] {
  const each = properties.flatMap((property) => valuesOf(property).map((value) => new Map([[property.name, value]])))
  const all = new Map(properties.map((property) => [property.name, valuesOf(property)[0]]))
  return [new Map(), all, ...each, ...properties.map(({ name }) => new Map([...all].filter(([key]) => key !== name)))]
}

const rendered = componentFacts.filter(({ name }) => name !== 'Snippet')

describe('what is said of components', () => {
  it('is said of each, once, and of what the renderer itself resolves', () => {
    const names = componentFacts.map(({ name }) => name)
    expect(names.toSorted()).toEqual([...components.keys(), 'Snippet'].sort())
  })

  it.each(rendered)('names the properties that $name reads, and no others', ({ name, properties }) => {
    const read = new Set<string>()
    for (const props of settings(properties)) {
      const { warnings, ...seen } = watch(name, props)
      expect(warnings).toEqual([])
      for (const property of seen.read) read.add(property)
    }
    const listed = properties.map((property) => property.name)
    // A parameter has its name as the value of its place; other docs say `name`.
    const unlisted = [...read].filter((each) => !listed.includes(otherProperties[each] ?? each))
    expect(unlisted).toEqual(name === 'ParamField' ? ['name'] : [])
    expect(listed.filter((each) => !read.has(each))).toEqual([])
  })

  it.each(rendered)('has $name hold content exactly where it shows what it holds', ({ name, children, properties }) => {
    const props = new Map(properties.map((property) => [property.name, valuesOf(property)[0]]))
    const { html } = watch(name, props)
    expect(html.includes('<figure>js</figure>') || /js\s+py/.test(html)).toBe(children)
  })

  it.each(componentFacts)(
    'is a line each for $name, and every choice makes a difference',
    ({ name, about, properties }) => {
      for (const text of [about, ...properties.map((property) => property.about ?? '')])
        expect(text).toMatch(/^[^\n]*[^.]$/)
      for (const { name: property, choices } of properties) {
        if (choices === undefined) continue
        const base = new Map<string, Value>([
          ['title', 'words'],
          ['repo', 'octocat/hello-world'],
        ])
        const made = choices.map((choice) => watch(name, new Map([...base, [property, choice]])).html)
        expect(new Set(made).size).toBe(choices.length)
      }
    },
  )
})
