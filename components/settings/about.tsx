'use client';

import { useConnection } from '../connection';
import { useT } from '../i18n';

export function About() {
  const t = useT();
  const hello = useConnection((state) => state.hello);
  return (
    <div className="flex flex-col gap-3 py-2 text-sm text-ink-2">
      <p>
        <b className="text-lg font-[640] text-ink">Tessera</b>{' '}
        {hello ? <span className="tabular-nums">{hello.version}</span> : null}
      </p>
      <p className="max-w-[58ch]">{t('about.text')}</p>
      <p className="max-w-[58ch]">{t('about.thanks')}</p>
      {hello && hello.corrupt.length > 0 ? (
        <section className="mt-2">
          <h3 className="text-md font-[540] text-ink">{t('about.corruptTitle', { count: hello.corrupt.length })}</h3>
          <p className="mt-1 max-w-[58ch]">{t('about.corruptText')}</p>
          <ul className="mt-2 rounded-control border border-line bg-sunken px-3 py-2 font-mono text-xs text-ink">
            {hello.corrupt.map((record) => (
              <li key={`${record.table}/${record.id}`} className="break-words select-text">
                {record.table}/{record.id}: {record.reason}
              </li>
            ))}
          </ul>
        </section>
      ) : null}
    </div>
  );
}
