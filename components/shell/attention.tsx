'use client';

import { Bell, BellRing, CircleAlert, MessageSquareText, X } from 'lucide-react';
import { Popover } from 'radix-ui';
import { useRef, useState } from 'react';
import { attempt, revealSession, settle, settleAll, useAttention } from '../canvas';
import { useSessions } from '../connection';
import { useT } from '../i18n';
import { titleOf } from '../terminals';
import { Button, IconButton } from '../ui';

const icons = { failed: CircleAlert, notification: MessageSquareText, bell: BellRing } as const;

/** Who needs you: how many, and the list. A click shows the card. */
export function Attention() {
  const t = useT();
  const needs = useAttention((state) => state.needs);
  const sessions = useSessions((state) => state.sessions);
  const [open, setOpen] = useState(false);
  /** A card was chosen: it gets the keyboard, not the button. */
  const chose = useRef(false);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <Button aria-label={t('attention.button', { count: needs.length })} data-attention={needs.length}>
          <Bell aria-hidden />
          <span className="attention-word">{t('attention.title')}</span>
          {needs.length > 0 ? <span className="count">{needs.length}</span> : null}
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className="popover"
          align="end"
          sideOffset={8}
          collisionPadding={8}
          aria-label={t('attention.title')}
          onCloseAutoFocus={(event) => {
            if (chose.current) event.preventDefault();
            chose.current = false;
          }}
        >
          {needs.length === 0 ? (
            <p className="px-4 py-5 text-sm text-ink-2">{t('attention.none')}</p>
          ) : (
            <>
              <ul className="max-h-[50vh] overflow-y-auto p-1.5">
                {needs.map((need) => {
                  const Icon = icons[need.why];
                  const view = sessions[need.sessionId];
                  return (
                    <li key={need.sessionId} className="attention-row">
                      <button
                        type="button"
                        onClick={() => {
                          chose.current = true;
                          setOpen(false);
                          requestAnimationFrame(() => attempt(revealSession(need.sessionId)));
                        }}
                      >
                        <Icon className="mt-0.5 size-4 flex-none text-need" strokeWidth={1.6} aria-hidden />
                        <span className="min-w-0 flex-1">
                          <b className="block truncate text-sm font-[640] text-ink">
                            {view ? titleOf(view) : t('attention.gone')}
                          </b>
                          <span className="line-clamp-2 text-xs text-ink-2">
                            {[need.title, need.body].filter(Boolean).join(': ') || t(`attention.${need.why}`)}
                          </span>
                        </span>
                      </button>
                      <IconButton label={t('attention.settle')} onClick={() => settle(need.sessionId)}>
                        <X aria-hidden />
                      </IconButton>
                    </li>
                  );
                })}
              </ul>
              <div className="border-t border-line p-1.5">
                <Button onClick={settleAll}>{t('attention.settleAll')}</Button>
              </div>
            </>
          )}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
