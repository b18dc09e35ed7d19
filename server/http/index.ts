export { ENTER_PAGE } from './enter-page';
export { HttpError } from './errors';
export { type Gatekeeper, RequestHandler } from './handler';
export { LoopbackListener } from './listener';
export { FILES_PREFIX, openPages, type Pages } from './pages';
export { ListenerPolicy } from './policy';
export {
  type Access,
  type Answer,
  bytesRoute,
  type Call,
  type Caller,
  jsonRoute,
  methodOf,
  type PageRoute,
  type Route,
  RouteTable,
  readRoute,
} from './routes';
export { type Accept, upgradeListener } from './upgrade';
