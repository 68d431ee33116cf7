import type { PageArtifact } from '#site/page.ts'
import type { ComposerOptions } from '#site/theme/composer.tsx'
import type { NavItem, Shell } from '#site/shell.ts'

/** Where the sample is served, and with what. */
export const sampleOptions: ComposerOptions = {
  hasCards: true,
  dashboard: 'https://dashboard.example',
  assets: {
    css: '/_quire/style-new.css',
    script: '/_quire/main-new.js',
    features: { live: '/_quire/live-new.js', mermaid: '/_quire/mermaid-new.js' },
  },
}

const page = (title: string, href: string): NavItem => ({ kind: 'page', title, href })

/** A small site with two tabs, a nested group and everything around. */
export function sampleShell(changes: Partial<Shell> = {}): Shell {
  return {
    format: 1,
    name: 'Quire',
    description: 'Documentation from Git.',
    url: 'https://docs.example.com',
    colors: { primary: '#0f766e', light: '#2dd4bf' },
    appearance: { default: 'system', strict: false },
    navbar: {
      links: [{ label: 'Support', href: 'mailto:help@example.com' }],
      primary: { label: 'Dashboard', href: 'https://example.com/dashboard' },
    },
    footer: {
      socials: [{ label: 'GitHub', href: 'https://example.com/git' }],
      columns: [{ header: 'Product', links: [{ label: 'Status', href: 'https://status.example.com' }] }],
    },
    anchors: [{ label: 'Community', href: 'https://example.com/community' }],
    sections: [
      {
        switches: [{ kind: 'tab', label: 'Guide' }],
        href: '/',
        items: [
          { kind: 'group', title: 'Get started', items: [page('Welcome', '/'), page('Quickstart', '/quickstart')] },
          {
            kind: 'group',
            title: 'Writing',
            items: [
              page('Pages', '/writing/pages'),
              { kind: 'group', title: 'Advanced', items: [page('Snippets', '/writing/snippets')] },
              { kind: 'group', title: 'Reference', expanded: true, items: [page('Front matter', '/writing/front')] },
            ],
          },
        ],
      },
      { switches: [{ kind: 'tab', label: 'API' }], href: '/api/deploy', items: [page('Deploy', '/api/deploy')] },
    ],
    places: {
      '/': { section: 0, trail: ['Get started'], next: { title: 'Quickstart', href: '/quickstart' } },
      '/quickstart': {
        section: 0,
        trail: ['Get started'],
        previous: { title: 'Welcome', href: '/' },
        next: { title: 'Pages', href: '/writing/pages' },
      },
      '/writing/snippets': { section: 0, trail: ['Writing', 'Advanced'] },
      '/api/deploy': { section: 1, trail: [] },
    },
    assets: { css: '/_quire/style.css', script: '/_quire/main.js', features: { mermaid: '/_quire/mermaid.js' } },
    ...changes,
  }
}

export function sampleArtifact(changes: Partial<PageArtifact> = {}): PageArtifact {
  return {
    title: 'Quickstart',
    description: 'From a folder to a live site.',
    html: '<h2 id="install">Install</h2><p>Run it.</p><h3 id="windows">On Windows</h3><p>Also.</p>',
    headings: [
      { id: 'install', level: 2, text: 'Install' },
      { id: 'windows', level: 3, text: 'On Windows' },
    ],
    features: [],
    ...changes,
  }
}

/** As hosting hands them over. */
export function bytes(value: Shell | PageArtifact): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value))
}
