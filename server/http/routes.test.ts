import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { jsonRoute, methodOf, type Route, RouteTable, readRoute } from './routes';

const page: Route = { kind: 'page', path: '/', access: 'cookie' };
const files: Route = { kind: 'files', path: '/_next/static/', access: 'public' };
const write = jsonRoute({
  path: '/api/things/:id/parts',
  access: 'signed-in',
  schema: Type.Object({}),
  maxBytes: 10,
  run: () => ({ body: null }),
});
const read = readRoute({ path: '/api/things/:id/parts', access: 'signed-in', run: () => ({ body: null }) });
const table = new RouteTable([page, files, write, read]);

describe('the table of routes', () => {
  it('finds a route by its path, with parameters', () => {
    expect(table.at('/')).toEqual([{ route: page, params: {} }]);
    expect(table.at('/_next/static/a/b.js')).toEqual([{ route: files, params: {} }]);
    expect(table.at('/api/things/abc_-1/parts')).toEqual([
      { route: write, params: { id: 'abc_-1' } },
      { route: read, params: { id: 'abc_-1' } },
    ]);
  });

  it.each([
    '/x',
    '/_next/static/',
    '/_next/image',
    '/api/things//parts',
    '/api/things/a.b/parts',
    '/api/things/a/parts/',
    '/api/things/%41/parts',
    `/api/things/${'a'.repeat(65)}/parts`,
  ])('finds nothing at %s', (path) => {
    expect(table.at(path)).toEqual([]);
  });

  it('knows the method of each', () => {
    expect([page, files, write, read].map(methodOf)).toEqual(['GET', 'GET', 'POST', 'GET']);
  });
});
