import { describe, expect, it } from 'vitest'
import { Html } from '#lib/html.ts'
import { components } from '#site/components/registry.ts'
import { child, render } from './render.ts'

const hostile = `"><script>alert(1)</script><img src=x onerror='alert(1)'>`
const props = [
  'title description icon href img cta color label tags name type default placeholder path query caption hint tip headline',
  'value variant repo src className actions rss sync defaultTabIndex noAnchor highlight dropdown borderBottom',
  'size shape iconType library titleSize id cols stepNumber for comment style pre post required deprecated defaultOpen',
].flatMap((line) => line.split(' '))

describe('hostile props', () => {
  it.each([...components.keys()])('%s escapes every text that it is given', (name) => {
    const { html } = render(name, Object.fromEntries(props.map((prop) => [prop, hostile])), [child('<p>safe</p>')])
    expect(html).not.toContain('<script')
    expect(html).not.toMatch(/<img[^>]*onerror/)
  })

  it.each(['Card', 'Tile', 'Tooltip', 'Link'])('%s has no link when its address is refused', (name) => {
    const { html, warnings } = render(name, { href: 'javascript:alert(1)', title: 'T', tip: 'T' }, [child('words')])
    expect(html).not.toContain('<a')
    expect(html).toContain('words')
    expect(warnings).toContain('refused javascript:alert(1)')
  })

  it.each([...components.keys()])('%s survives lists, objects, numbers and nothing in any prop', (name) => {
    for (const value of [['a', 1], Object.create(null) as object, 7, null, undefined, true, new Html('<b>x</b>')])
      expect(typeof render(name, Object.fromEntries(props.map((prop) => [prop, value as never]))).html).toBe('string')
  })

  it('a colour that is more than a colour is left out', () => {
    expect(render('Callout', { color: 'red;position:fixed' }).html).not.toContain('style')
    expect(render('Callout', { color: '#E74C3C' }).html).toContain('style="--q-callout:#E74C3C"')
  })

  it.each([
    'red;position:fixed',
    'url(https://evil.example)',
    'rgb(0 0 0);background:url(x)',
    'var(--q-bg)',
    'expression(alert(1))',
    '#fff}</style>',
    'rgb(var(--x))',
  ])('a swatch of %s paints nothing, and says so', (value) => {
    const { html, warnings } = render('Color.Item', { name: 'n', value })
    expect(html).not.toContain('style=')
    expect(warnings).toHaveLength(1)
  })

  it('a repository is one of GitHub and nothing else', () => {
    for (const repo of ['javascript:alert(1)', 'https://evil.example/a/b', 'a/b/../../c', '//evil.example/a', 'a'])
      expect(render('GitHub.Repo', { repo }).html).toBe('')
    expect(render('Icon', { src: 'javascript:alert(1)' }).html).not.toContain('<img')
  })

  it('a style prop passes only what lays out', () => {
    const style = { textAlign: 'center', backgroundImage: 'url(https://evil.example)', position: 'fixed' }
    expect(render('Frame', { style }, [child('x')]).html).toContain('style="text-align:center"')
  })
})
