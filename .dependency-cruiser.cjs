/** Who may import whom: the floors of src/README.md. */
const room = (names) => `^src/(${names})/`
const floors = [
  { name: 'contract', from: room('contract'), to: [] },
  { name: 'client', from: room('client'), to: ['contract'] },
  { name: 'content', from: room('content'), to: ['contract'] },
  { name: 'site', from: room('site'), to: ['contract'] },
  { name: 'hosting', from: room('hosting'), to: ['storage', 'contract'] },
  { name: 'storage', from: room('storage'), to: ['contract'] },
  { name: 'projects', from: room('projects'), to: ['storage', 'contract'] },
  { name: 'access', from: room('access'), to: ['projects', 'storage', 'contract'] },
  { name: 'audit', from: room('audit'), to: ['storage', 'contract'] },
  { name: 'usage', from: room('usage'), to: ['storage', 'contract'] },
  {
    name: 'deploying',
    from: room('deploying'),
    to: ['access', 'projects', 'usage', 'content', 'site', 'hosting', 'storage', 'contract'],
  },
  {
    name: 'branching',
    from: room('branching'),
    to: ['deploying', 'access', 'projects', 'usage', 'content', 'site', 'hosting', 'storage', 'contract'],
  },
  { name: 'webhooks', from: room('webhooks'), to: ['access', 'projects', 'usage', 'storage', 'contract'] },
  {
    name: 'changelog',
    from: room('changelog'),
    to: ['access', 'projects', 'usage', 'content', 'site', 'hosting', 'storage', 'contract'],
  },
  {
    name: 'operator',
    from: room('operator'),
    to: [
      'changelog',
      'branching',
      'deploying',
      'access',
      'projects',
      'content',
      'hosting',
      'storage',
      'client',
      'contract',
    ],
  },
  {
    name: 'http',
    from: room('http'),
    to: [
      'operator',
      'audit',
      'changelog',
      'webhooks',
      'branching',
      'deploying',
      'access',
      'projects',
      'usage',
      'content',
      'site',
      'hosting',
      'storage',
      'contract',
    ],
  },
  { name: 'dashboard', from: room('dashboard'), to: ['client', 'contract'] },
]

/** The folders of content/, each with those that it may import beside the port and the paths. */
const contentFolders = [
  { folder: 'git', to: [] },
  { folder: 'objects', to: ['git'] },
  { folder: 'refs', to: ['git'] },
  { folder: 'changes', to: ['objects'] },
  { folder: 'merge', to: ['git', 'objects'] },
  { folder: 'history', to: ['git', 'objects'] },
  { folder: 'push', to: ['git', 'objects', 'refs'] },
]

/** The folders of site/, each with those that it may import beside the forms that they hand each other. */
const siteFolders = [
  { folder: 'sanitise', to: [] },
  { folder: 'components', to: ['sanitise'] },
  { folder: 'highlight', to: ['components'] },
  { folder: 'mdx', to: ['highlight', 'components', 'sanitise'] },
  { folder: 'render', to: ['mdx'] },
  { folder: 'config', to: [] },
  { folder: 'build', to: ['config'] },
  { folder: 'theme', to: [] },
]

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'not-to-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    { name: 'not-to-tests', severity: 'error', from: { path: '^(src|cli)/' }, to: { path: '^test/' } },
    {
      name: 'cli-uses-client-and-contract',
      severity: 'error',
      from: { path: '^cli/' },
      to: { path: '^src/(?!client/|contract/)' },
    },
    {
      name: 'no-dev-packages',
      severity: 'error',
      from: { path: '^(src/(?!dashboard/|site/theme/)|cli/)' },
      to: { dependencyTypes: ['npm-dev'] },
    },
    ...floors.map(({ name, from, to }) => ({
      name: `${name}-imports-downwards`,
      severity: 'error',
      from: { path: from },
      to: { path: `^src/(?!(${[name, ...to].join('|')})/|lib/)` },
    })),
    ...contentFolders.map(({ folder, to }) => ({
      name: `content-${folder}-imports-downwards`,
      severity: 'error',
      from: { path: `^src/content/${folder}/` },
      to: { path: `^src/content/(?!(${[folder, ...to].join('|')})/|repository\\.ts$|paths\\.ts$)` },
    })),
    ...siteFolders.map(({ folder, to }) => ({
      name: `site-${folder}-imports-downwards`,
      severity: 'error',
      from: { path: `^src/site/${folder}/` },
      to: { path: `^src/site/(?!(${[folder, ...to].join('|')})/|(builder|page|shell)\\.ts$)` },
    })),
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|node_modules)/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}
