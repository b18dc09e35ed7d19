'use client';

import { Notice, Onward } from './notice';

export { followLink } from './follow-link';
export { LoginPage } from './login-page';

/** There is nothing at this address. */
export function NotFoundPage() {
  return (
    <Notice texts="login.not-found">
      <Onward href="/" text="login.to-canvas" />
    </Notice>
  );
}

/** A link of another page led here: going on is the person's choice. */
export function FromElsewherePage() {
  return (
    <Notice texts="login.elsewhere">
      <Onward href="/" text="login.to-canvas" />
    </Notice>
  );
}

/** A page could not be shown. */
export function BrokenPage() {
  return (
    <Notice texts="login.broken">
      <Onward href="/" text="login.to-canvas" />
    </Notice>
  );
}
