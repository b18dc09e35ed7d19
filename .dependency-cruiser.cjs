/** The layers of docs/architecture.md: schemas <- server/* and components/* <- app. */
module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'schemas-depend-on-nothing',
      severity: 'error',
      from: { path: '^schemas/' },
      to: { path: '^(app|components|server|e2e|bench)/' },
    },
    {
      name: 'schemas-are-pure',
      severity: 'error',
      from: { path: '^schemas/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'components-never-import-server',
      severity: 'error',
      from: { path: '^components/' },
      to: { path: '^(server|app)/' },
    },
    {
      name: 'server-never-imports-the-page',
      severity: 'error',
      from: { path: '^server/' },
      to: { path: '^(components|app)/' },
    },
    {
      name: 'pty-host-imports-schemas-only',
      severity: 'error',
      from: { path: '^server/pty-host/' },
      to: { path: '^server/(?!pty-host/)' },
    },
    {
      name: 'rooms-meet-at-their-index',
      comment: 'A server room imports another only through its index.ts; main.ts, which wires them, does so too.',
      severity: 'error',
      from: { path: '^server/([^/]+)' },
      to: { path: '^server/[^/]+/', pathNot: ['^server/$1/', '^server/[^/]+/index\\.ts$'] },
    },
    {
      name: 'component-rooms-meet-at-their-index',
      severity: 'error',
      from: { path: '^components/([^/]+)/' },
      to: {
        path: '^components/[^/]+/',
        pathNot: ['^components/$1/', '^components/[^/]+/index\\.tsx?$', '^components/ui/'],
      },
    },
    {
      name: 'app-never-imports-server',
      severity: 'error',
      from: { path: '^app/' },
      to: { path: '^(server|e2e|bench)/' },
    },
    {
      name: 'app-uses-component-indexes',
      severity: 'error',
      from: { path: '^app/' },
      to: { path: '^components/', pathNot: '^components/[^/]+/index\\.tsx?$' },
    },
    {
      name: 'the-product-never-imports-its-tests',
      severity: 'error',
      from: { path: '^(app|components|schemas|server)/', pathNot: '\\.test\\.tsx?$' },
      to: { path: '^(e2e|bench)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(node_modules|\\.next|dist)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'],
      mainFields: ['module', 'main', 'types'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
