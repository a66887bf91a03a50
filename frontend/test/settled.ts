/** When all is drawn: elements in the microtasks after a change, the panels after the first frame. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 2; i++) await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}
