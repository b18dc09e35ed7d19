'use client';

import { AlertDialog } from 'radix-ui';
import type { ReactNode } from 'react';
import { create } from 'zustand';
import { Button } from './button';

export interface Question {
  title: string;
  text?: ReactNode;
  /** Lines shown apart, such as the processes that would end. */
  lines?: string[];
  yes: string;
  no: string;
  danger?: boolean;
}

const useQuestion = create<{ asked: { question: Question; answer: (yes: boolean) => void } | null }>(() => ({
  asked: null,
}));

/** Asks the person before something that cannot be undone. One question at a time: a new one answers the old one with "no". */
export function confirm(question: Question): Promise<boolean> {
  useQuestion.getState().asked?.answer(false);
  return new Promise((resolve) => {
    useQuestion.setState({
      asked: {
        question,
        answer: (yes) => {
          useQuestion.setState({ asked: null });
          resolve(yes);
        },
      },
    });
  });
}

/** Where questions appear; once on the page. */
export function ConfirmHost() {
  const asked = useQuestion((state) => state.asked);
  if (!asked) return null;
  const { question, answer } = asked;
  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && answer(false)}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="scrim" />
        <AlertDialog.Content className="dialog p-5" {...(question.text ? {} : { 'aria-describedby': undefined })}>
          <AlertDialog.Title className="dialog-title">{question.title}</AlertDialog.Title>
          {question.text ? (
            <AlertDialog.Description className="dialog-text mt-1.5">{question.text}</AlertDialog.Description>
          ) : null}
          {question.lines?.length ? (
            <ul className="mt-3 max-h-40 overflow-auto rounded-control border border-line bg-sunken px-3 py-2 font-mono text-xs">
              {question.lines.map((line, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a fixed list in which lines may repeat
                <li key={index} className="line-clamp-3 break-words">
                  {line}
                </li>
              ))}
            </ul>
          ) : null}
          <div className="mt-5 flex justify-end gap-2">
            <AlertDialog.Cancel asChild>
              <Button look="line" size="large">
                {question.no}
              </Button>
            </AlertDialog.Cancel>
            <AlertDialog.Action asChild>
              <Button look={question.danger ? 'danger' : 'solid'} size="large" onClick={() => answer(true)}>
                {question.yes}
              </Button>
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
