from demo.simulator.clock import Channel, Clock, Process, Signal


def test_processes_run_in_the_order_in_which_they_are_due() -> None:
    clock = Clock()
    seen: list[tuple[str, int]] = []

    def worker(name: str, *waits: int) -> Process[None]:
        for wait in waits:
            yield wait
            seen.append((name, clock.now_ns))

    clock.spawn(worker("a", 5, 10))
    clock.spawn(worker("b", 7, 8))
    clock.run()

    assert seen == [("a", 5), ("b", 7), ("a", 15), ("b", 15)]


def test_a_signal_wakes_those_who_wait_and_does_not_hold_those_who_come_later() -> None:
    clock = Clock()
    signal = Signal(clock)
    seen: list[int] = []

    def waits_from(begin_ns: int) -> Process[None]:
        yield begin_ns
        yield signal
        seen.append(clock.now_ns)

    def fires() -> Process[None]:
        yield 10
        signal.fire()

    clock.spawn(waits_from(1))
    clock.spawn(waits_from(20))
    clock.spawn(fires())
    clock.run()

    assert seen == [10, 20]


def test_a_channel_holds_the_producer_while_it_is_full_and_the_consumer_while_it_is_empty() -> None:
    clock = Clock()
    channel: Channel[int] = Channel(clock, 2)
    put_ns: list[int] = []
    got: list[tuple[int, int]] = []

    def producer() -> Process[None]:
        for item in range(5):
            yield from channel.put(item)
            put_ns.append(clock.now_ns)

    def consumer() -> Process[None]:
        for _ in range(5):
            yield 10
            item = yield from channel.get()
            got.append((item, clock.now_ns))

    clock.spawn(producer())
    clock.spawn(consumer())
    clock.run()

    assert put_ns == [0, 0, 10, 20, 30]
    assert got == [(0, 10), (1, 20), (2, 30), (3, 40), (4, 50)]
