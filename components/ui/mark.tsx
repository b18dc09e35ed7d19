/** The sign of Tessera: nine stones. */
export function Mark({ size = 18 }: { size?: number }) {
  return (
    <span className="mark" aria-hidden style={{ width: size, height: size }}>
      {Array.from({ length: 9 }, (_, stone) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: nine stones, always the same
        <i key={stone} />
      ))}
    </span>
  );
}
