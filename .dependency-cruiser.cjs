/** Who may import whom: the floors of src/README.md. */
const room = (names) => `^src/(${names})/`
const floors = [
  { name: 'contract', from: room('contract'), to: [] },
  { name: 'client', from: room('client'), to: ['contract'] },
  { name: 'authoring', from: room('authoring'), to: ['contract'] },
  { name: 'content', from: room('content'), to: ['contract'] },
  { name: 'site', from: room('site'), to: ['contract'] },
  { name: 'hosting', from: room('hosting'), to: ['storage', 'contract'] },
  { name: 'storage', from: room('storage'), to: ['contract'] },
  { name: 'projects', from: room('projects'), to: ['storage', 'contract'] },
  { name: 'mail', from: room('mail'), to: ['contract'] },
  { name: 'access', from: room('access'), to: ['mail', 'projects', 'storage', 'contract'] },
  { name: 'domains', from: room('domains'), to: ['mail', 'projects', 'storage', 'contract'] },
  { name: 'visibility', from: room('visibility'), to: ['access', 'projects', 'storage', 'contract'] },
  { name: 'audit', from: room('audit'), to: ['storage', 'contract'] },
  { name: 'usage', from: room('usage'), to: ['storage', 'contract'] },
  { name: 'models', from: room('models'), to: ['usage', 'storage', 'contract'] },
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
  { name: 'comments', from: room('comments'), to: ['branching', 'storage', 'contract'] },
  {
    name: 'assistant',
    from: room('assistant'),
    to: ['models', 'branching', 'deploying', 'usage', 'content', 'site', 'storage', 'contract'],
  },
  { name: 'analytics', from: room('analytics'), to: ['hosting', 'storage', 'contract'] },
  { name: 'answers', from: room('answers'), to: ['models', 'usage', 'site', 'hosting', 'storage', 'contract'] },
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
      'domains',
      'changelog',
      'branching',
      'deploying',
      'access',
      'usage',
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
      'comments',
      'assistant',
      'analytics',
      'answers',
      'models',
      'domains',
      'visibility',
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
  { name: 'dashboard', from: room('dashboard'), to: ['authoring', 'client', 'contract'] },
]

/**
 * Who opens files: storage/ and content/ those of a data directory; the others what comes with the package, what they
 * make for their own processes, and what the command line or a setting names.
 */
const openFiles = [
  '(storage|content|lib)/',
  '(site|dashboard)/',
  'http/operator/socket\\.ts$',
  'http/pages/(dashboard|command-line)\\.ts$',
  'operator/archive/files\\.ts$',
  '(wire|administer|serve|config)\\.ts$',
]

/** The parts of content/, a folder or a file each, with those that they may import beside the port and the paths. */
const contentParts = [
  { part: 'git', to: [] },
  { part: 'objects', to: ['git'] },
  { part: 'refs', to: ['git'] },
  { part: 'changes', to: ['objects'] },
  { part: 'merge', to: ['git', 'objects'] },
  { part: 'history', to: ['git', 'objects'] },
  { part: 'push', to: ['git', 'objects', 'refs'] },
]

/** The folders of http/, each with those that it may import; app.ts puts them together. */
const httpFolders = [
  { folder: 'requests', to: [] },
  { folder: 'auth', to: [] },
  { folder: 'metrics', to: ['auth', 'requests'] },
  { folder: 'api', to: ['auth'] },
  { folder: 'git', to: ['auth'] },
  { folder: 'operator', to: ['api'] },
  { folder: 'sites', to: ['requests'] },
  { folder: 'pages', to: ['auth', 'requests', 'sites'] },
]

/** The folders of site/, each with those, and those files, that it may import beside the forms that they hand each other. */
const siteFolders = [
  { folder: 'sanitise', to: [] },
  { folder: 'components', to: ['markdown', 'sanitise'] },
  { folder: 'highlight', to: ['components'] },
  { folder: 'markdown', to: [] },
  { folder: 'api', to: ['components', 'sanitise', 'mdx/nodes'] },
  { folder: 'mdx', to: ['markdown', 'highlight', 'components', 'sanitise', 'api/page'] },
  { folder: 'render', to: ['mdx', 'api/(describe|document|form|names)'] },
  { folder: 'config', to: ['api/(form|names)'] },
  { folder: 'search', to: [] },
  { folder: 'islands', to: [] },
  { folder: 'build', to: ['config', 'islands', 'markdown', 'search', 'api/(form|names|stored-index)'] },
  {
    folder: 'theme',
    to: ['markdown', 'search', 'components', 'sanitise', 'api/(languages|parameter-values|request-form)'],
  },
]

/** The rooms of the terminal UI, each with those that it may import; main.ts and routes.ts put them together. */
const tuiRooms = [
  { room: 'canvas', to: [] },
  { room: 'text', to: ['canvas'] },
  { room: 'terminal', to: ['canvas'] },
  { room: 'mdx', to: ['text', 'canvas'] },
  { room: 'panes', to: ['mdx', 'text', 'canvas'] },
  { room: 'app', to: ['terminal', 'panes', 'text', 'canvas'] },
  { room: 'data', to: ['app/settings\\.ts$'] },
  { room: 'views', to: ['data', 'app', 'panes', 'mdx', 'text', 'canvas'] },
]

/** The folders of the terminal UI's data/, each with those that it may import; the forms beside them are for those above `drafts`. */
const tuiDataFolders = [
  { folder: 'disk', to: [] },
  { folder: 'drafts', to: ['disk/'] },
  { folder: 'sample', to: ['[a-z-]+\\.ts$'] },
  { folder: 'service', to: ['drafts/', 'disk/', '[a-z-]+\\.ts$'] },
]

/**
 * The floors of dashboard/, each with those below it that it may import beside the modules that all of them share; main.tsx,
 * router.tsx and ahead.ts put them together.
 */
const dashboardFloors = [
  { floor: 'ui', to: [] },
  { floor: 'queries', to: ['ui'] },
  { floor: 'drafts', to: ['queries', 'ui'] },
  { floor: 'shell', to: ['drafts', 'queries', 'ui'] },
  { floor: 'pages', to: ['shell', 'drafts', 'queries', 'ui', 'sample'] },
]
const dashboardShared = '(assets\\.d|client|local-storage|paths|query-client)\\.ts$'

/** The areas of dashboard/pages/ that show a part of another one; all others know nothing of each other. */
const pageAreas = [
  // It sums up what the others show one by one: the same rows and states.
  { area: 'overview', to: ['branches', 'changelog', 'deploys'] },
  // Its pages are pages of a branch, in the frame of one; a publish is a deploy, with its stages.
  { area: 'merge', to: ['branches', 'deploys'] },
  // The panel of the assistant stands beside the text; the branch may be gone.
  { area: 'editor', to: ['assistant', 'branches'] },
  // What is wrong with a deploy is mended on a branch, which is asked for.
  { area: 'deploys', to: ['branches'] },
  // What is said about changes stands beside them.
  { area: 'branches', to: ['comments'] },
  // The first deploy goes through the stages of all.
  { area: 'onboarding', to: ['deploys'] },
  // Invitations are projects to come.
  { area: 'projects', to: ['account'] },
]
const areasWithOthers = pageAreas.map(({ area }) => area).join('|')

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    { name: 'not-to-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    { name: 'not-to-tests', severity: 'error', from: { path: '^(src|cli)/' }, to: { path: '^test/' } },
    {
      name: 'cli-uses-client-authoring-and-contract',
      severity: 'error',
      from: { path: '^cli/', pathNot: '^cli/(dev|import)/' },
      // What opens a program that is compiled ahead, and where the package lies, is the same for all.
      to: { path: '^src/(?!client/|authoring/|contract/|lib/(?:compiled|paths)\\.ts$)' },
    },
    {
      name: 'local-previews-build-and-serve-as-the-service-does',
      severity: 'error',
      from: { path: '^cli/dev/' },
      to: { path: '^src/(?!contract/|site/|hosting/serving/|lib/)' },
    },
    {
      name: 'imports-read-code-as-pages-do',
      severity: 'error',
      from: { path: '^cli/import/' },
      to: {
        path: '^src/(?!authoring/|contract/|site/(?:mdx/(?:expression\\.ts$|interpreter/)|components/registry\\.ts$))',
      },
    },
    {
      name: 'what-commands-share-knows-none-of-them',
      severity: 'error',
      from: { path: '^cli/(deploying|service|credentials)/' },
      to: { path: '^cli/(assistant|commands|completion|generate|import|init|reference|tui)/' },
    },
    {
      name: 'the-service-comes-before-deploys',
      severity: 'error',
      from: { path: '^cli/(service|credentials)/' },
      to: { path: '^cli/deploying/' },
    },
    {
      name: 'ink-draws-the-chrome-only',
      severity: 'error',
      from: { path: '^cli/', pathNot: '^cli/tui/app/chrome/' },
      to: { path: 'node_modules/(ink|react)/' },
    },
    ...tuiRooms.map(({ room: name, to }) => ({
      name: `tui-${name}-imports-downwards`,
      severity: 'error',
      from: { path: `^cli/tui/${name}/` },
      to: { path: `^cli/tui/(?!(${[name, ...to].join('|')}))` },
    })),
    ...tuiDataFolders.map(({ folder, to }) => ({
      name: `tui-data-${folder}-imports-downwards`,
      severity: 'error',
      from: { path: `^cli/tui/data/${folder}/` },
      to: { path: `^cli/tui/data/(?!(${[`${folder}/`, ...to].join('|')}))` },
    })),
    {
      name: 'no-dev-packages',
      severity: 'error',
      from: { path: '^(src/(?!dashboard/|site/theme/)|cli/)' },
      to: { dependencyTypes: ['npm-dev'] },
    },
    {
      name: 'files-only-through-storage-and-content',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/(${openFiles.join('|')})` },
      to: { path: '^(node:)?fs(/promises)?$' },
    },
    ...floors.map(({ name, from, to }) => ({
      name: `${name}-imports-downwards`,
      severity: 'error',
      from: { path: from },
      to: { path: `^src/(?!(${[name, ...to].join('|')})/|lib/)` },
    })),
    ...dashboardFloors.map(({ floor, to }) => ({
      name: `dashboard-${floor}-imports-downwards`,
      severity: 'error',
      from: { path: `^src/dashboard/${floor}/` },
      to: { path: `^src/dashboard/(?!(${[floor, ...to].join('|')})/|${dashboardShared})` },
    })),
    {
      name: 'dashboard-shared-imports-no-floor',
      severity: 'error',
      from: { path: `^src/dashboard/${dashboardShared}` },
      to: { path: '^src/dashboard/[^/]+/' },
    },
    {
      name: 'pages-import-no-other-area',
      severity: 'error',
      from: { path: '^src/dashboard/pages/([^/]+)/', pathNot: `^src/dashboard/pages/(${areasWithOthers})/` },
      to: { path: '^src/dashboard/pages/', pathNot: '^src/dashboard/pages/$1/' },
    },
    ...pageAreas.map(({ area, to }) => ({
      name: `pages-${area}-imports-no-other-area`,
      severity: 'error',
      from: { path: `^src/dashboard/pages/${area}/` },
      to: { path: `^src/dashboard/pages/(?!(${[area, ...to].join('|')})/)` },
    })),
    ...contentParts.map(({ part, to }) => ({
      name: `content-${part}-imports-downwards`,
      severity: 'error',
      from: { path: `^src/content/${part}[/.]` },
      to: { path: `^src/content/(?!(${[part, ...to].join('|')})[/.]|repository\\.ts$|paths\\.ts$)` },
    })),
    ...httpFolders.map(({ folder, to }) => ({
      name: `http-${folder}-imports-downwards`,
      severity: 'error',
      from: { path: `^src/http/${folder}/` },
      to: { path: `^src/http/(?!(${[folder, ...to].join('|')})/)` },
    })),
    ...siteFolders.map(({ folder, to }) => ({
      name: `site-${folder}-imports-downwards`,
      severity: 'error',
      from: { path: `^src/site/${folder}/` },
      to: {
        path: `^src/site/(?!(${[folder, ...to].join('|')})(/|\\.ts$)|(builder|page|shell|languages|metatags|code-themes|integrations|servers|counterparts|places|stored-shell)\\.ts$)`,
      },
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
