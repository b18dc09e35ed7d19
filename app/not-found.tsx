import Page from './nothing-here/page';

export default Page;
