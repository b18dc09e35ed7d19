/// <reference path="../../node_modules/node-pty/node-pty.d.ts" />

// The package's own types are declared under the name that it was published with.
declare module 'node-pty' {
  export * from '@lydell/node-pty';
}
