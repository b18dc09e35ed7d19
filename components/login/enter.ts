import { signIn, tokenOf } from './sign-in';

/**
 * All that the page at /enter does: it follows the login link of a start without waiting for the pages of Next. Whatever
 * is not a success is told by the login page, to which the link goes on.
 */
const { hash } = location;
// Out of the address bar and the history, whatever comes of it.
history.replaceState(null, '', location.pathname);
void signIn(tokenOf(hash), localStorage).then((result) => location.replace(result === 'done' ? '/' : `/login${hash}`));
