import { expect, it } from 'vitest'
import { hasBrowser, onPageError } from '#test/support/browser.ts'
import { browseDev } from '#test/support/dev.ts'

/** What the page shows as it stands, and a component once it runs. */
const shown = `<div>
  <Columns cols={2}>
    <Card title="Rocket" icon="rocket" href="/other">Fly <b>far</b></Card>
    <Card title="Plain" horizontal>Words</Card>
  </Columns>
  <Note>A note</Note>
  <Callout icon="key" color="#FFC107">A key</Callout>
  <Steps><Step title="First">One</Step><Step title="Second">Two</Step></Steps>
  <AccordionGroup><Accordion title="Fold" icon="house" defaultOpen>Inside</Accordion></AccordionGroup>
  <p><Icon icon="flag" size={24} color="red" /> <Badge color="green">New</Badge> <Tooltip tip="A tip">word</Tooltip></p>
  <CodeBlock language="js" filename="a.js">{"const a = 1"}</CodeBlock>
  <Frame caption="A *caption*"><img src="/dot.svg" alt="dot" /></Frame>
  <ResponseField name="id" type="string" required>The id</ResponseField>
</div>`

const files = {
  'docs.json': JSON.stringify({ name: 'Docs', navigation: { pages: ['index', 'other'] } }),
  'dot.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
  'other.mdx': 'Other.\n',
  'snippets/all.jsx': `export const All = () => {
  const [count, setCount] = useState(0)
  return (
    <section id="running">
      <button id="more" onClick={() => setCount(count + 1)}>{count}</button>
      ${shown}
    </section>
  )
}

export const Choice = ({ kinds }) => {
  const [at, setAt] = useState(0)
  return (
    <section id="choice">
      <Tabs><Tab title="A"><p id="in-a">In A, {at}</p></Tab><Tab title="B"><p id="in-b">In B</p></Tab></Tabs>
      <Card title={kinds[at].name} icon={kinds[at].icon} onClick={() => setAt(1 - at)}>Turn</Card>
      {at === 1 && <CodeBlock language="js">{"later()"}</CodeBlock>}
    </section>
  )
}
`,
  'index.mdx': `---
title: Parts
---

import { All, Choice } from '/snippets/all.jsx'

export const Still = () => <section id="still">${shown}</section>

<Still />

<All />

<Choice kinds={[{ name: 'Sun', icon: 'sun' }, { name: 'Moon', icon: 'moon' }]} />
`,
}

it.skipIf(!hasBrowser)(
  'shows components of the theme inside of those that run as it shows them in a page',
  async () => {
    const { url, browser } = await browseDev(files)
    const page = await browser.newPage()
    const errors: string[] = []
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
    onPageError(page, (error) => errors.push(error.message))
    await page.goto(url)
    await page.locator('[id$="running"]').scrollIntoViewIfNeeded()
    await page.click('#more:enabled')
    expect(await page.innerText('#more')).toBe('1')
    // Ids are given once; of pictures only builds know the size.
    const read = (selector: string): Promise<string> =>
      page.evaluate((at) => {
        const told = (node: Node): string => {
          if (!(node instanceof HTMLElement || node instanceof SVGElement)) return node.textContent ?? ''
          if (node.localName === 'a' && node.hasAttribute('name')) return ''
          const known = [...node.attributes].flatMap(({ name, value }) => {
            if (
              /^(?:id|aria-describedby|width|height|loading|decoding|fetchpriority)$/.test(name) ||
              value.startsWith('#')
            )
              return []
            return [`${name}=${name === 'style' ? node.style.cssText : value}`]
          })
          return `<${node.localName} ${known.sort().join(' ')}>${[...node.childNodes].map(told).join('')}</>`
        }
        return [...document.querySelectorAll(at)].map(told).join('\n')
      }, selector)
    const running = await read('#running > div')
    expect(running).toContain('q-callout')
    expect(running).toBe(await read('[id$="still"] > div'))

    await page.locator('[id$="choice"]').scrollIntoViewIfNeeded()
    await page.click('#choice [role="tab"]:nth-child(2)')
    expect(await page.isVisible('#in-b')).toBe(true)
    expect(await page.isVisible('#in-a')).toBe(false)
    const sun = await page.innerHTML('#choice .q-card svg')
    await page.click('#choice .q-card')
    expect(await page.innerText('#choice .q-card-title')).toBe('Moon')
    expect(await page.innerHTML('#choice .q-card svg')).not.toBe(sun)
    expect(await page.innerText('#choice .q-code')).toContain('later()')
    expect(await page.isVisible('#in-b')).toBe(true)
    expect(errors).toEqual([])
  },
  120_000,
)

it.skipIf(!hasBrowser)(
  'leads below the base of a site, as its pages do',
  async () => {
    const { url, browser } = await browseDev({
      'docs.json': JSON.stringify({ name: 'Docs', basePath: '/docs', navigation: { pages: ['index', 'other'] } }),
      'dot.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
      'other.mdx': 'Other.\n',
      'index.mdx': `export const Ways = () => {
  const [count, setCount] = useState(0)
  return (
    <p>
      <button id="more" onClick={() => setCount(count + 1)}>{count}</button>
      <a id="in" href="/other">Other</a> <a id="out" href="https://example.com/other">Out</a>
      {count > 0 && <a id="later" href="/other#x">Later</a>} <img id="picture" src="/dot.svg" srcSet="/dot.svg 1x, /dot.svg 2x" alt="dot" style={{ background: 'url(/dot.svg)' }} />
    </p>
  )
}

<Ways />

<Ways2 />

export const Ways2 = () => <Card title="Card" href="/other" onClick={() => 1}>Words</Card>
`,
    })
    const page = await browser.newPage()
    await page.goto(new URL('/docs', url).href)
    await page.click('#more:enabled')
    await page.waitForSelector('#later')
    const ways = await page.evaluate(() =>
      ['#in', '#out', '#later', '#picture', '.q-card a'].map((selector) => {
        const element = document.querySelector(selector)
        return element?.getAttribute('href') ?? element?.getAttribute('src')
      }),
    )
    const picture = page.locator('#picture')
    expect(await picture.getAttribute('srcset')).toBe('/docs/dot.svg 1x, /docs/dot.svg 2x')
    expect(await picture.getAttribute('style')).toContain('url("/docs/dot.svg")')
    expect(ways).toEqual(['/docs/other', 'https://example.com/other', '/docs/other#x', '/docs/dot.svg', '/docs/other'])
  },
  120_000,
)
